from allo import *
from allo.pto import *

P = KernelOptions(typing_style="pto", profile="a5")
T = tile(f32, 8, 8)
U = tile(f32, 8, 8, valid=(4, 4))


@kernel
def a(t: T):
    pass


@kernel(options=P)
def b(t: T) -> T:
    return t


@kernel(options=P)
def c(t: T, n: i32):
    u: T = t
    v = t
    t = t
    x = t[0, 0]
    if n:
        sethf32mode(True)


@kernel(options=P)
def d(t: T, x: "f32[64]"):
    u: U
    e(u)
    e(x)


@kernel(options=P)
def e(t: T):
    tabs(t, t)
# -->
# [E0908] tiles.py:10:10: error: 'tile' stands in kernels of the typing style "pto"
# 10 | def a(t: T):
#    |          ^
# help: write `@kernel(options=KernelOptions(typing_style="pto"))`
# [E0908] tiles.py:15:16: error: a kernel returns no tile: pass one as a parameter
# 15 | def b(t: T) -> T:
#    |                ^
# [E0908] tiles.py:21:5: error: the tile 'u' is storage, and has no initialiser
# 21 |     u: T = t
#    |     ^
# help: declare it, then fill it: by tload, texpands or tmov
# [E0908] tiles.py:22:9: error: a tile has one name, and cannot be assigned to another
# 22 |     v = t
#    |         ^
# [E0908] tiles.py:23:5: error: 't' is a tile, which cannot be assigned
# 23 |     t = t
#    |     ^
# help: tmov copies a tile into another one
# [E0603] tiles.py:24:9: error: a tile has no subscripts
# 24 |     x = t[0, 0]
#    |         ^^^^^^^
# [E0908] tiles.py:26:9: error: 'sethf32mode' stands at the top level of a kernel's body
# 26 |         sethf32mode(True)
#    |         ^^^^^^^^^^^^^^^^^
# [E0901] tiles.py:32:7: error: type mismatch: parameter 't' needs a tile[f32, 8, 8] (vec, nd), but this is a tile[f32, 8, 8] (vec, nd, valid 4 x 4)
# 32 |     e(u)
#    |       ^
# [E0901] tiles.py:33:7: error: type mismatch: parameter 't' needs a tile[f32, 8, 8] (vec, nd), but this is an array
# 33 |     e(x)
#    |       ^
