"""Molecular dynamics: Lennard-Jones forces between the atoms of neighbouring cells."""

from allo import f32, i32, kernel

SIDE = 2
DENSITY = 3
LJ1 = 1.5
LJ2 = 2.0


@kernel
def md_grid(
    n_points: "i32[SIDE, SIDE, SIDE]",
    force: "f32[SIDE, SIDE, SIDE, DENSITY, 3]",
    position: "f32[SIDE, SIDE, SIDE, DENSITY, 3]",
):
    for x0 in range(SIDE):
        for y0 in range(SIDE):
            for z0 in range(SIDE):
                for x1 in range(max(0, x0 - 1), min(SIDE, x0 + 2)):
                    for y1 in range(max(0, y0 - 1), min(SIDE, y0 + 2)):
                        for z1 in range(max(0, z0 - 1), min(SIDE, z0 + 2)):
                            for p in range(n_points[x0, y0, z0]):
                                sum_x: f32 = force[x0, y0, z0, p, 0]
                                sum_y: f32 = force[x0, y0, z0, p, 1]
                                sum_z: f32 = force[x0, y0, z0, p, 2]
                                for q in range(n_points[x1, y1, z1]):
                                    if x0 != x1 or y0 != y1 or z0 != z1 or p != q:
                                        dx: f32 = position[x0, y0, z0, p, 0] - position[x1, y1, z1, q, 0]
                                        dy: f32 = position[x0, y0, z0, p, 1] - position[x1, y1, z1, q, 1]
                                        dz: f32 = position[x0, y0, z0, p, 2] - position[x1, y1, z1, q, 2]
                                        r2inv: f32 = 1.0 / (dx * dx + dy * dy + dz * dz)
                                        r6inv: f32 = r2inv * r2inv * r2inv
                                        strength: f32 = r2inv * r6inv * (LJ1 * r6inv - LJ2)
                                        sum_x += strength * dx
                                        sum_y += strength * dy
                                        sum_z += strength * dz
                                force[x0, y0, z0, p, 0] = sum_x
                                force[x0, y0, z0, p, 1] = sum_y
                                force[x0, y0, z0, p, 2] = sum_z
