"""Molecular dynamics: Lennard-Jones forces between an atom and its listed neighbours."""

from allo import f32, i32, kernel

ATOMS = 8
NEIGHBOURS = 4
LJ1 = 1.5
LJ2 = 2.0


@kernel
def md_knn(
    force: "f32[ATOMS, 3]", position: "f32[ATOMS, 3]", neighbour: "i32[ATOMS, NEIGHBOURS]"
):
    for i in range(ATOMS):
        i_x: f32 = position[i, 0]
        i_y: f32 = position[i, 1]
        i_z: f32 = position[i, 2]
        f_x: f32 = 0.0
        f_y: f32 = 0.0
        f_z: f32 = 0.0
        for j in range(NEIGHBOURS):
            other: i32 = neighbour[i, j]
            del_x: f32 = i_x - position[other, 0]
            del_y: f32 = i_y - position[other, 1]
            del_z: f32 = i_z - position[other, 2]
            r2inv: f32 = 1.0 / (del_x * del_x + del_y * del_y + del_z * del_z)
            r6inv: f32 = r2inv * r2inv * r2inv
            potential: f32 = r6inv * (LJ1 * r6inv - LJ2)
            strength: f32 = r2inv * potential
            f_x += del_x * strength
            f_y += del_y * strength
            f_z += del_z * strength
        force[i, 0] = f_x
        force[i, 1] = f_y
        force[i, 2] = f_z
