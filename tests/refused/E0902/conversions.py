from allo import *
from allo.pto import tcvt
P = KernelOptions(typing_style="pto", profile="a2a3")


@kernel(options=P)
def a(x: f32) -> f16:
    return tcvt(x, f16, rnd="up")


@kernel(options=P)
def b(x: f32) -> f16:
    return tcvt(x, f16, sat=1)
# -->
# [E0902] conversions.py:8:29: error: illegal attribute: rnd up of tcvt, which has rne, rna, rz, rp, rm, ro
# 8 |     return tcvt(x, f16, rnd="up")
#   |                             ^^^^
# [E0902] conversions.py:13:29: error: illegal attribute: sat of tcvt is True or False, not an int
# 13 |     return tcvt(x, f16, sat=1)
#    |                             ^
