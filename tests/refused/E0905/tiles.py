from allo import *
from allo.pto import *

P = KernelOptions(typing_style="pto", profile="a5")


@kernel(options=P)
def a(t: tile[f32, 16, 16], m: tile(f32, 16, 16, loc="mat"), c: tile(f32, 16, 16, loc="acc"), g: "f32[16, 16]"):
    tadd(t, m, t)
    tmov(t, m)
    tload(c, g)
    texpands(m, 1.0)
    tmatmul(c, t, t)


@kernel(options=P)
def b():
    t: tile(f32, 8, 8, loc="up")
# -->
# [E0905] tiles.py:9:5: error: location mismatch: tadd needs tiles in vec, not in mat
# 9 |     tadd(t, m, t)
#   |     ^^^^^^^^^^^^^
# [E0905] tiles.py:10:5: error: location mismatch: tmov does not move from mat to vec
# 10 |     tmov(t, m)
#    |     ^^^^^^^^^^
# [E0905] tiles.py:11:5: error: location mismatch: tload needs a tile in vec or mat, not in acc
# 11 |     tload(c, g)
#    |     ^^^^^^^^^^^
# [E0905] tiles.py:12:5: error: location mismatch: texpands needs tiles in vec, not in mat
# 12 |     texpands(m, 1.0)
#    |     ^^^^^^^^^^^^^^^^
# [E0905] tiles.py:13:5: error: location mismatch: operand a of tmatmul is vec, needs left
# 13 |     tmatmul(c, t, t)
#    |     ^^^^^^^^^^^^^^^^
# [E0905] tiles.py:18:8: error: location mismatch: there is no location up
# 18 |     t: tile(f32, 8, 8, loc="up")
#    |        ^^^^^^^^^^^^^^^^^^^^^^^^^
