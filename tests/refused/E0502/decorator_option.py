import allo
from allo import *

@kernel(options=KernelOptions(typing_stile="cpp"))
def f(x: i32):
    pass
# -->
# [E0502] decorator_option.py:4:17: error: KernelOptions has no parameter 'typing_stile'
# 4 | @kernel(options=KernelOptions(typing_stile="cpp"))
#   |                 ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# help: did you mean 'typing_style'?
