from allo import *
from allo.pto import tcvt
P = KernelOptions(typing_style="pto", profile="a2a3")


@kernel(options=P)
def a(x: f8e4m3) -> i8:
    return tcvt(x, i8)


@kernel(options=P)
def b(x: f32) -> f32:
    return tcvt(x, f32)


@kernel(options=P)
def c(x: f64) -> f32:
    return tcvt(x, f32)


@kernel(options=P)
def d(x: f32) -> i33:
    return tcvt(x, apint(33, True))


@kernel(options=P)
def e() -> f32:
    return tcvt(1.0, f32)
# -->
# [E0901] conversions.py:8:12: error: type mismatch: no conversion from f8e4m3 to i8
# 8 |     return tcvt(x, i8)
#   |            ^^^^^^^^^^^
# [E0901] conversions.py:13:12: error: type mismatch: no conversion from f32 to f32
# 13 |     return tcvt(x, f32)
#    |            ^^^^^^^^^^^^
# [E0901] conversions.py:18:12: error: type mismatch: no conversion from f64 to f32
# 18 |     return tcvt(x, f32)
#    |            ^^^^^^^^^^^^
# [E0101] conversions.py:22:18: error: Name 'i33' is not defined
# 22 | def d(x: f32) -> i33:
#    |                  ^^^
# help: define it: `i33 = apint(33, signed=True)`
# [E0901] conversions.py:28:17: error: type mismatch: tcvt converts a scalar, not a float
# 28 |     return tcvt(1.0, f32)
#    |                 ^^^
