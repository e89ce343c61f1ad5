from allo import *
from allo.pto import tcvt
P = KernelOptions(typing_style="pto", profile="a2a3")


@kernel(options=P)
def a(x: f32) -> f8e4m3:
    return tcvt(x, f8e4m3)


@kernel(options=P)
def b(x: hif8) -> f32:
    return tcvt(x, f32)
# -->
# [E0907] conversions.py:8:12: error: profile restriction: f8e4m3 needs a5 or cpu, not a2a3
# 8 |     return tcvt(x, f8e4m3)
#   |            ^^^^^^^^^^^^^^^
# [E0907] conversions.py:13:12: error: profile restriction: hif8 needs a5 or cpu, not a2a3
# 13 |     return tcvt(x, f32)
#    |            ^^^^^^^^^^^^
