from allo import *
from allo.pto import tcvt


@kernel
def a(x: f32) -> f16:
    return tcvt(x, f16)
# -->
# [E0908] style.py:7:12: error: 'tcvt' stands in kernels of the typing style "pto"
# 7 |     return tcvt(x, f16)
#   |            ^^^^^^^^^^^^
# help: write `@kernel(options=KernelOptions(typing_style="pto"))`
