from allo import *
from allo.pto import *

P = KernelOptions(typing_style="pto", profile="a5")


@kernel(options=P)
def a(x: "f32[64]", y: "i32[64]"):
    vsts(vadd(vlds(x, 0), vlds(y, 0)), x, 0)


@kernel(options=P)
def b(x: "f32[64]", y: "i32[64]"):
    vsts(vlds(x, 0), y, 0)


@kernel(options=P)
def c(x: "f64[64]"):
    vlds(x, 0)


@kernel(options=P)
def d(x: "f32[64]"):
    vadd(x, vlds(x, 0))


@kernel(options=P)
def e(x: "f32[64]"):
    v = vlds(x, 0)
    vlds(v, 0)
    vadds(v, 1)
    vshls(v, 1)
    vadd(v, v, mask=v)
    vdup(1.0)


@kernel(options=P)
def f(x: "f32[64]"):
    v = vlds(x, 0)
    v = plt(64, 3)
    w: vreg[i32] = v


@kernel(options=P)
def g():
    v: vreg[bool] = vdup(True, bool)


@kernel(options=P)
def h(x: "f8e4m3[256]"):
    v = vlds(x, 0)
    vadd(v, v)
    vcvt(v, i8)
    vabs(vdup(1, u8))
# -->
# [E0901] vectors.py:9:10: error: type mismatch: vadd needs equal element types, found f32 and i32
# 9 |     vsts(vadd(vlds(x, 0), vlds(y, 0)), x, 0)
#   |          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# [E0901] vectors.py:14:5: error: type mismatch: vsts stores f32 into an array of i32
# 14 |     vsts(vlds(x, 0), y, 0)
#    |     ^^^^^^^^^^^^^^^^^^^^^^
# help: nothing is converted by itself here: write `tcvt(x, T)`
# [E0901] vectors.py:19:5: error: type mismatch: vlds takes an element type, not f64
# 19 |     vlds(x, 0)
#    |     ^^^^^^^^^^
# [E0901] vectors.py:24:10: error: type mismatch: vadd needs a vreg for a, found an array
# 24 |     vadd(x, vlds(x, 0))
#    |          ^
# [E0901] vectors.py:30:10: error: type mismatch: vlds needs an array for x, found a vreg[f32]
# 30 |     vlds(v, 0)
#    |          ^
# [E0901] vectors.py:31:14: error: type mismatch: 1 where f32 is needed
# 31 |     vadds(v, 1)
#    |              ^
# [E0901] vectors.py:32:5: error: type mismatch: vshls takes integers of 8, 16, 32 or 64 bits, not f32
# 32 |     vshls(v, 1)
#    |     ^^^^^^^^^^^
# [E0901] vectors.py:33:21: error: type mismatch: vadd needs a mask for mask, found a vreg[f32]
# 33 |     vadd(v, v, mask=v)
#    |                     ^
# [E0901] vectors.py:34:10: error: type mismatch: vdup needs the element type of 1.0
# 34 |     vdup(1.0)
#    |          ^^^
# [E0901] vectors.py:40:9: error: type mismatch: a mask[64] where vreg[f32] is needed
# 40 |     v = plt(64, 3)
#    |         ^^^^^^^^^^
# [E0901] vectors.py:41:20: error: type mismatch: a vreg[f32] where vreg[i32] is needed
# 41 |     w: vreg[i32] = v
#    |                    ^
# [E0901] vectors.py:46:13: error: type mismatch: a vreg has no elements of u1
# 46 |     v: vreg[bool] = vdup(True, bool)
#    |             ^^^^
# [E0901] vectors.py:52:5: error: type mismatch: vadd takes integers of 8, 16, 32 or 64 bits, f16, bf16 or f32, not f8e4m3
# 52 |     vadd(v, v)
#    |     ^^^^^^^^^^
# [E0901] vectors.py:53:5: error: type mismatch: no conversion from f8e4m3 to i8
# 53 |     vcvt(v, i8)
#    |     ^^^^^^^^^^^
# [E0901] vectors.py:54:5: error: type mismatch: vabs takes signed integers, f16, bf16 or f32, not u8
# 54 |     vabs(vdup(1, u8))
#    |     ^^^^^^^^^^^^^^^^^
