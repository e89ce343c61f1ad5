from allo import *
from allo.pto import *

P = KernelOptions(typing_style="pto", profile="a5")


@kernel(options=P)
def a(x: "f32[64]"):
    v: vreg[f32, 128] = vlds(x, 0)


@kernel(options=P)
def b(x: "f32[64]"):
    m: mask[48] = plt(48, 1)


@kernel(options=P)
def c(x: "f32[64]"):
    v = vlds(x, 0)
    vadd(v, v, plt(128, 1))
    vlds(x, 1)
    vsts(v, x, -1)
    pand(plt(64, 1), plt(32, 1))
    plt(33, 1)
# -->
# [E0903] vectors.py:9:18: error: shape mismatch: vreg[f32] has 64 lanes, not 128
# 9 |     v: vreg[f32, 128] = vlds(x, 0)
#   |                  ^^^
# [E0903] vectors.py:14:8: error: shape mismatch: a mask has 32, 64, 128, 256 or 512 lanes, not 48
# 14 |     m: mask[48] = plt(48, 1)
#    |        ^^^^^^^^
# [E0903] vectors.py:20:5: error: shape mismatch: vadd has 64 lanes, its mask 128
# 20 |     vadd(v, v, plt(128, 1))
#    |     ^^^^^^^^^^^^^^^^^^^^^^^
# [E0903] vectors.py:21:13: error: shape mismatch: vlds accesses 64 elements from 1 on of 64
# 21 |     vlds(x, 1)
#    |             ^
# [E0903] vectors.py:22:16: error: shape mismatch: vsts accesses 64 elements from -1 on of 64
# 22 |     vsts(v, x, -1)
#    |                ^^
# [E0903] vectors.py:23:5: error: shape mismatch: pand needs masks of one size, found mask[64] and mask[32]
# 23 |     pand(plt(64, 1), plt(32, 1))
#    |     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# [E0903] vectors.py:24:9: error: shape mismatch: plt makes a mask of 32, 64, 128, 256 or 512 lanes, not of 33
# 24 |     plt(33, 1)
#    |         ^^
