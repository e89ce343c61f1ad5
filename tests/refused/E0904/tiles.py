from allo import *
from allo.pto import *

P = KernelOptions(typing_style="pto", profile="a5")


@kernel(options=P)
def a(t: tile[f32, 16, 16], u: tile(f32, 16, 16, valid=(8, 8))):
    tadd(t, u, t)
    tmov(t, u)
    trowsum(t, u)


@kernel(options=P)
def b():
    t: tile(f32, 8, 8, valid=(9, 8))


@kernel(options=P)
def c(c: tile(f32, 16, 16, loc="acc"), a: tile(f16, 16, 16, loc="left", valid=(16, 8)), b: tile(f16, 16, 16, loc="right")):
    tmatmul(c, a, b)
# -->
# [E0904] tiles.py:9:5: error: valid region mismatch: source 1 of tadd is valid in 8 x 8, the destination in 16 x 16
# 9 |     tadd(t, u, t)
#   |     ^^^^^^^^^^^^^
# [E0904] tiles.py:10:5: error: valid region mismatch: source 1 of tmov is valid in 8 x 8, the destination in 16 x 16
# 10 |     tmov(t, u)
#    |     ^^^^^^^^^^
# [E0904] tiles.py:11:5: error: valid region mismatch: source 1 of trowsum is valid in 8 x 8, and needs 16 x 8
# 11 |     trowsum(t, u)
#    |     ^^^^^^^^^^^^^
# [E0904] tiles.py:16:8: error: valid region mismatch: 9 x 8 of a tile of 8 x 8
# 16 |     t: tile(f32, 8, 8, valid=(9, 8))
#    |        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# [E0904] tiles.py:21:5: error: valid region mismatch: a of tmatmul is valid in 16 x 8, b in 16 x 16, c in 16 x 16
# 21 |     tmatmul(c, a, b)
#    |     ^^^^^^^^^^^^^^^^
