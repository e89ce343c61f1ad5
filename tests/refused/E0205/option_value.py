from allo import *


@kernel(options=KernelOptions(enable_tensor=1))
def f(x: i32):
    pass
# -->
# [E0205] option_value.py:4:17: error: the option 'enable_tensor' cannot be an int
# 4 | @kernel(options=KernelOptions(enable_tensor=1))
#   |                 ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
