from allo import *
from allo.pto import *

P = KernelOptions(typing_style="pto", profile="cpu")


@kernel(options=P)
def a():
    t: tile[f64, 4, 8]


@kernel(options=P)
def b():
    t: tile(i8, 16, 16, loc="acc")


@kernel(options=P)
def c(t: tile[f32, 8, 8], u: tile[i32, 8, 8], v: tile[f8e4m3, 1, 32], x: "f32[8, 8]"):
    tadd(t, t, u)
    tadds(t, t, 1)
    tadd(x, t, t)
    tmul(v, v, v)
    tdiv(u, u, u)
    tcvt(u, u)
    tload(u, x)


@kernel(options=P)
def d(t: tile[u8, 1, 32]):
    tneg(t, t)


@kernel(options=P)
def e(t: tile(i32, 8, 8, pad="zero"), u: tile[i32, 8, 8]):
    tneg(t, u)


@kernel(options=P)
def f(u: tile[i32, 8, 8], x: "i32[8, 8]", a: f32, n: i32):
    e(u, u)
    tload(u, x, a)
    tstore(x, u, u)
    vsts(vlds(x, plt(64, n)), x, 1.0)
# -->
# [E0901] tiles.py:9:8: error: type mismatch: a tile has no elements of f64
# 9 |     t: tile[f64, 4, 8]
#   |        ^^^^^^^^^^^^^^^
# [E0901] tiles.py:14:8: error: type mismatch: an acc tile holds f32 or i32, not i8
# 14 |     t: tile(i8, 16, 16, loc="acc")
#    |        ^^^^^^^^^^^^^^^^^^^^^^^^^^^
# [E0901] tiles.py:19:5: error: type mismatch: tadd needs equal element types, found f32 and i32
# 19 |     tadd(t, t, u)
#    |     ^^^^^^^^^^^^^
# [E0901] tiles.py:20:17: error: type mismatch: 1 where f32 is needed
# 20 |     tadds(t, t, 1)
#    |                 ^
# [E0901] tiles.py:21:10: error: type mismatch: tadd needs a tile for dst, found an array
# 21 |     tadd(x, t, t)
#    |          ^
# [E0901] tiles.py:22:5: error: type mismatch: tmul does not compute with f8e4m3
# 22 |     tmul(v, v, v)
#    |     ^^^^^^^^^^^^^
# [E0901] tiles.py:23:5: error: type mismatch: tdiv takes f16, bf16 or f32, not i32
# 23 |     tdiv(u, u, u)
#    |     ^^^^^^^^^^^^^
# [E0901] tiles.py:24:5: error: type mismatch: no conversion from i32 to i32
# 24 |     tcvt(u, u)
#    |     ^^^^^^^^^^
# [E0901] tiles.py:25:5: error: type mismatch: tload needs equal element types, found i32 and f32
# 25 |     tload(u, x)
#    |     ^^^^^^^^^^^
# [E0901] tiles.py:30:5: error: type mismatch: tneg takes no unsigned integers, found u8
# 30 |     tneg(t, t)
#    |     ^^^^^^^^^^
# [E0901] tiles.py:40:7: error: type mismatch: parameter 't' needs a tile[i32, 8, 8] (vec, nd, pad zero), but this is a tile[i32, 8, 8] (vec, nd)
# 40 |     e(u, u)
#    |       ^
# [E0901] tiles.py:41:17: error: type mismatch: tload needs an integer as an offset, found a value of type f32
# 41 |     tload(u, x, a)
#    |                 ^
# [E0901] tiles.py:42:18: error: type mismatch: tstore needs an integer as an offset, found a tile[i32, 8, 8] (vec, nd)
# 42 |     tstore(x, u, u)
#    |                  ^
# [E0901] tiles.py:43:18: error: type mismatch: vlds needs an integer as an offset, found a mask[64]
# 43 |     vsts(vlds(x, plt(64, n)), x, 1.0)
#    |                  ^^^^^^^^^^
