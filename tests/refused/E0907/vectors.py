from allo import *
from allo.pto import *

P = KernelOptions(typing_style="pto", profile="a2a3")


@kernel(options=P)
def a(x: "hif8[256]", y: "f32[64]"):
    vlds(x, 0)
    v: vreg[f4e2m1] = vdup(0.5, f32)
    vcvt(vlds(y, 0), f8e4m3)
    vbitcast(vlds(y, 0), hif8)
# -->
# [E0907] vectors.py:9:5: error: profile restriction: hif8 needs a5 or cpu, not a2a3
# 9 |     vlds(x, 0)
#   |     ^^^^^^^^^^
# [E0907] vectors.py:10:5: error: profile restriction: f4e2m1 needs a5 or cpu, not a2a3
# 10 |     v: vreg[f4e2m1] = vdup(0.5, f32)
#    |     ^
# [E0907] vectors.py:11:5: error: profile restriction: f8e4m3 needs a5 or cpu, not a2a3
# 11 |     vcvt(vlds(y, 0), f8e4m3)
#    |     ^^^^^^^^^^^^^^^^^^^^^^^^
# [E0907] vectors.py:12:5: error: profile restriction: hif8 needs a5 or cpu, not a2a3
# 12 |     vbitcast(vlds(y, 0), hif8)
#    |     ^^^^^^^^^^^^^^^^^^^^^^^^^^
