from allo import *


@kernel(option=KernelOptions())
def f(x: i32):
    pass
# -->
# [E0205] decorator_keyword.py:4:9: error: @kernel has no parameter 'option'
# 4 | @kernel(option=KernelOptions())
#   |         ^^^^^^^^^^^^^^^^^^^^^^
# help: did you mean 'options'?
