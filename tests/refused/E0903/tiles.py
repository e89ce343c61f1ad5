from allo import *
from allo.pto import *

P = KernelOptions(typing_style="pto", profile="a2a3")


@kernel(options=P)
def a():
    t: tile[f32, 8, 4]


@kernel(options=P)
def b():
    t: tile(f32, 8193, 8)


@kernel(options=P)
def c():
    t: tile(f32, 8, 8, loc="mat")


@kernel(options=P)
def d(t: tile[f32, 8, 8], u: tile[f32, 4, 8], g: "f32[8, 8]", h: "f32[64]"):
    tabs(t, u)
    tload(t, g, 1)
    tload(t, h)
    textract(u, t, 5, 0)


@kernel(options=P)
def e(c: tile(f32, 16, 16, loc="acc"), a: tile(f16, 16, 32, loc="left"), b: tile(f16, 16, 16, loc="right")):
    tmatmul(c, a, b)
# -->
# [E0903] tiles.py:9:8: error: shape mismatch: a row has 16 bytes, not a multiple of 32 bytes
# 9 |     t: tile[f32, 8, 4]
#   |        ^^^^^^^^^^^^^^^
# [E0903] tiles.py:14:8: error: shape mismatch: a tile has 1 to 8192 rows, not 8193
# 14 |     t: tile(f32, 8193, 8)
#    |        ^^^^^^^^^^^^^^^^^^
# [E0903] tiles.py:19:8: error: shape mismatch: 8 x 8 elements are no multiple of the boxes of nz, 16 x 8
# 19 |     t: tile(f32, 8, 8, loc="mat")
#    |        ^^^^^^^^^^^^^^^^^^^^^^^^^^
# [E0903] tiles.py:24:5: error: shape mismatch: tabs needs 8 x 8 for a source, found 4 x 8
# 24 |     tabs(t, u)
#    |     ^^^^^^^^^^
# [E0903] tiles.py:25:5: error: shape mismatch: tload accesses 8 rows or columns beyond those of an array, 8
# 25 |     tload(t, g, 1)
#    |     ^^^^^^^^^^^^^^
# [E0903] tiles.py:26:5: error: shape mismatch: tload needs an array of rank 2, not 1
# 26 |     tload(t, h)
#    |     ^^^^^^^^^^^
# [E0903] tiles.py:27:5: error: shape mismatch: textract takes 4 rows or columns from 5 on of 8
# 27 |     textract(u, t, 5, 0)
#    |     ^^^^^^^^^^^^^^^^^^^^
# [E0903] tiles.py:32:5: error: shape mismatch: tmatmul contracts 32 columns with 16 rows
# 32 |     tmatmul(c, a, b)
#    |     ^^^^^^^^^^^^^^^^
