from allo import *


@kernel
def scale(x: i32) -> i32:
    return x

@kernel
def f(x: i32) -> i32:
    return scael(x)
# -->
# [E0101] did_you_mean_kernel.py:10:12: error: Name 'scael' is not defined
# 10 |     return scael(x)
#    |            ^^^^^
# help: did you mean 'scale'?
