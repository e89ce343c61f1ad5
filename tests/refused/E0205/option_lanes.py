from allo import *


@kernel(options=KernelOptions(typing_style="pto", lanes=3))
def a(x: f32) -> f32:
    return x
# -->
# [E0205] option_lanes.py:4:17: error: the option 'lanes' cannot be 3
# 4 | @kernel(options=KernelOptions(typing_style="pto", lanes=3))
#   |                 ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# help: lanes is a power of two up to 64
