from allo import *
from allo import arith
from allo.pto import tcvt
P = KernelOptions(typing_style="pto", profile="a2a3")


@kernel(options=P)
def a(x: f32) -> f8e4m3:
    return tcvt(x, f8e4m3)


@kernel(options=P)
def b(x: hif8) -> f32:
    return tcvt(x, f32)


@kernel(options=P)
def c(x: f32) -> f8e4m3:
    return arith.cast(x, f8e4m3)


@kernel(options=P)
def d(x: hif8) -> f32:
    return arith.cast(x, f32)
# -->
# [E0907] conversions.py:9:12: error: profile restriction: f8e4m3 needs a5 or cpu, not a2a3
# 9 |     return tcvt(x, f8e4m3)
#   |            ^^^^^^^^^^^^^^^
# [E0907] conversions.py:14:12: error: profile restriction: hif8 needs a5 or cpu, not a2a3
# 14 |     return tcvt(x, f32)
#    |            ^^^^^^^^^^^^
# [E0907] conversions.py:19:12: error: profile restriction: f8e4m3 needs a5 or cpu, not a2a3
# 19 |     return arith.cast(x, f8e4m3)
#    |            ^^^^^^^^^^^^^^^^^^^^^
# [E0907] conversions.py:24:12: error: profile restriction: hif8 needs a5 or cpu, not a2a3
# 24 |     return arith.cast(x, f32)
#    |            ^^^^^^^^^^^^^^^^^^
