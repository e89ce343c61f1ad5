"""A matrix in rows becomes one in boxes of 16 rows and 32 bytes, as products take it: nd to nz."""

from allo import *
from allo.pto import *

R, C = 32, 16
WIDE = 8  # Elements of f32 in 32 bytes.


@kernel(options=KernelOptions(typing_style="pto", profile="a5", lanes=4))
def layout(x: "f32[R, C]", boxes: tile(f32, R, C, loc="mat", layout="nz")):
    rows: tile(f32, R, C)
    tload(rows, x)
    tmov(boxes, rows)


@kernel
def plain(x: "f32[R, C]", boxes: "f32[R * C]"):
    for r in range(R):
        for c in range(C):
            boxes[c // WIDE * R * WIDE + r // 16 * 16 * WIDE + r % 16 * WIDE + c % WIDE] = x[r, c]
