from allo import *


@kernel(options=KernelOptions(typing_style="pto", subnormals="ftz"))
def a(x: f32) -> f32:
    return x
# -->
# [E0205] option_subnormals_pto.py:4:17: error: the option 'subnormals' stands without typing_style="pto" only
# 4 | @kernel(options=KernelOptions(typing_style="pto", subnormals="ftz"))
#   |                 ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
