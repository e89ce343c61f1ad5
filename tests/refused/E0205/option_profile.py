from allo import *


@kernel(options=KernelOptions(typing_style="pto", profile="a3"))
def a(x: f32) -> f32:
    return x
# -->
# [E0205] option_profile.py:4:17: error: there is no profile 'a3'
# 4 | @kernel(options=KernelOptions(typing_style="pto", profile="a3"))
#   |                 ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# help: the profiles are "cpu", "a2a3" and "a5"
