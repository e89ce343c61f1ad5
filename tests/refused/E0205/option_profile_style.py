from allo import *


@kernel(options=KernelOptions(profile="a5"))
def a(x: f32) -> f32:
    return x
# -->
# [E0205] option_profile_style.py:4:17: error: the option 'profile' stands with typing_style="pto" only
# 4 | @kernel(options=KernelOptions(profile="a5"))
#   |                 ^^^^^^^^^^^^^^^^^^^^^^^^^^^
