from allo import *
from allo.pto import vexp
P = KernelOptions(typing_style="pto", profile="a2a3")


@kernel(options=P)
def a(x: f32) -> f32:
    return vexp(x)
# -->
# [E0909] later.py:8:12: error: 'vexp' of PTO is not supported yet
# 8 |     return vexp(x)
#   |            ^^^^^^^
