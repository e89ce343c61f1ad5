"""Finite differences in the time domain: an electric and a magnetic field on a plane."""

import allo
from allo import f32, kernel

TMAX = 3
NX = 6
NY = 8


@kernel
def fdtd_2d(ex: "f32[NX, NY]", ey: "f32[NX, NY]", hz: "f32[NX, NY]", fict: "f32[TMAX]"):
    for m in range(TMAX):
        for j in range(NY):
            ey[0, j] = fict[m]
        for i, j in allo.grid((1, NX), (0, NY)):
            ey[i, j] = ey[i, j] - 0.5 * (hz[i, j] - hz[i - 1, j])
        for i, j in allo.grid((0, NX), (1, NY)):
            ex[i, j] = ex[i, j] - 0.5 * (hz[i, j] - hz[i, j - 1])
        for i, j in allo.grid(NX - 1, NY - 1):
            hz[i, j] = hz[i, j] - 0.7 * (ex[i, j + 1] - ex[i, j] + ey[i + 1, j] - ey[i, j])
