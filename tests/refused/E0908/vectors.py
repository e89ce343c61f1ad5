from allo import *
from allo.pto import *

P = KernelOptions(typing_style="pto")


@kernel
def a(x: "f32[64]"):
    vsts(vlds(x, 0), x, 0)


@kernel
def b(n: i32):
    m: mask[64] = 1


@kernel(options=P)
def c(v: vreg[f32]):
    pass


@kernel(options=P)
def d(x: "f32[64]") -> vreg[f32]:
    return vlds(x, 0)


@kernel(options=P)
def e(x: "f32[64]", n: i32):
    v: vreg[f32]
    w = vlds(x, 0)
    y = w[0]
    z = w + w
    u = w if n else w
    for i, j in grid(4, 4):
        w = vadd(w, w)
# -->
# [E0908] vectors.py:9:5: error: 'vsts' stands in kernels of the typing style "pto"
# 9 |     vsts(vlds(x, 0), x, 0)
#   |     ^^^^^^^^^^^^^^^^^^^^^^
# help: write `@kernel(options=KernelOptions(typing_style="pto"))`
# [E0908] vectors.py:14:5: error: 'mask[64]' stands in kernels of the typing style "pto"
# 14 |     m: mask[64] = 1
#    |     ^
# help: write `@kernel(options=KernelOptions(typing_style="pto"))`
# [E0908] vectors.py:18:10: error: a parameter is no vreg[f32]: pass an array, and load it
# 18 | def c(v: vreg[f32]):
#    |          ^^^^^^^^^
# [E0908] vectors.py:23:24: error: a kernel returns no vreg[f32]: store it into an array
# 23 | def d(x: "f32[64]") -> vreg[f32]:
#    |                        ^^^^^^^^^
# [E0405] vectors.py:29:5: error: 'v' needs an initialiser: a vreg[f32] is a value
# 29 |     v: vreg[f32]
#    |     ^
# [E0603] vectors.py:31:9: error: the lanes of a vreg[f32] have no subscripts
# 31 |     y = w[0]
#    |         ^^^^
# [E0305] vectors.py:32:9: error: operator 'add' needs a scalar, not a vreg[f32]
# 32 |     z = w + w
#    |         ^
# [E0305] vectors.py:33:9: error: operator 'select' needs a scalar, not a vreg[f32]
# 33 |     u = w if n else w
#    |         ^
# [E0409] vectors.py:35:9: error: the scalar 'w' would be carried across the iterations of a grid
# 35 |         w = vadd(w, w)
#    |         ^
# help: use nested range loops
