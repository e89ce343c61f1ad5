from allo import *
from allo.pto import *

P = KernelOptions(typing_style="pto", profile="a5")


@kernel(options=P)
def a(x: "f32[64]"):
    v = vlds(x, 0)
    vcmp(v, v, "lo")
    vcvt(v, f16, part=4)
    vcvt(v, f16, part="third")
    vadd(v, v, merge=v)
    vci(0, "up")
    pset(64, "PAT_VL65")
    vdup(x[0], f32)
# -->
# [E0902] vectors.py:10:16: error: illegal attribute: op lo of vcmp, which has eq, ne, lt, le, gt, ge
# 10 |     vcmp(v, v, "lo")
#    |                ^^^^
# [E0902] vectors.py:11:23: error: illegal attribute: vcvt has no part 4, but 2 of them
# 11 |     vcvt(v, f16, part=4)
#    |                       ^
# [E0902] vectors.py:12:23: error: illegal attribute: vcvt has no part third, but 2 of them
# 12 |     vcvt(v, f16, part="third")
#    |                       ^^^^^^^
# [E0902] vectors.py:13:5: error: illegal attribute: vadd has merge without mask
# 13 |     vadd(v, v, merge=v)
#    |     ^^^^^^^^^^^^^^^^^^^
# [E0902] vectors.py:14:12: error: illegal attribute: order up of vci, which has asc, desc
# 14 |     vci(0, "up")
#    |            ^^^^
# [E0902] vectors.py:15:14: error: illegal attribute: pset has no pattern PAT_VL65 of 64 lanes
# 15 |     pset(64, "PAT_VL65")
#    |              ^^^^^^^^^^
# [E0902] vectors.py:16:16: error: illegal attribute: vdup takes T beside a literal only
# 16 |     vdup(x[0], f32)
#    |                ^^^
