from allo import *
from allo.pto import *

P = KernelOptions(typing_style="pto", profile="cpu")


@kernel(options=P)
def a(t: tile[f32, 8, 8], u: tile[i32, 8, 8], n: i32):
    ttrans(t, t)
    tfillpad(t, t)
    tcvt(u, t, rnd="up")
    textract(t, t, n, 0)


@kernel(options=P)
def b():
    t: tile(f32, 8, 8, pad="one")


@kernel(options=P)
def c(on: u1):
    sethf32mode(on)
# -->
# [E0902] tiles.py:9:5: error: illegal attribute: ttrans has its destination as a source
# 9 |     ttrans(t, t)
#   |     ^^^^^^^^^^^^
# [E0902] tiles.py:10:5: error: illegal attribute: tfillpad needs a destination with pad, not null
# 10 |     tfillpad(t, t)
#    |     ^^^^^^^^^^^^^^
# [E0902] tiles.py:11:20: error: illegal attribute: rnd up of tcvt, which has rne, rna, rz, rp, rm, ro
# 11 |     tcvt(u, t, rnd="up")
#    |                    ^^^^
# [E0902] tiles.py:12:5: error: illegal attribute: textract has its destination as a source
# 12 |     textract(t, t, n, 0)
#    |     ^^^^^^^^^^^^^^^^^^^^
# [E0902] tiles.py:17:8: error: illegal attribute: pad one of a tile, which has null, zero, min, max
# 17 |     t: tile(f32, 8, 8, pad="one")
#    |        ^^^^^^^^^^^^^^^^^^^^^^^^^^
# [E0902] tiles.py:22:17: error: illegal attribute: sethf32mode takes a compile-time bool, not a value of type u1
# 22 |     sethf32mode(on)
#    |                 ^^
