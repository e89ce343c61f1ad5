from allo import KernelOption, i32, kernel


@kernel(options=KernelOption())
def f(x: i32) -> i32:
    return x
# -->
# [E0102] did_you_mean_imported.py:4:17: error: 'KernelOption' has no value at compile time: module 'allo' has no name 'KernelOption'; did you mean 'KernelOptions'?
# 4 | @kernel(options=KernelOption())
#   |                 ^^^^^^^^^^^^
# did_you_mean_imported.py:1:18: note: 'KernelOption' is bound here
# 1 | from allo import KernelOption, i32, kernel
#   |                  ^^^^^^^^^^^^
