from allo import *


@kernel
class f:
    pass


@kernel
def g(x: i32) -> i32:
    return f(x)
# -->
# [E0102] kernel_class.py:11:12: error: 'f' has no value at compile time: a decorator of allo stands above a function, and is not called
# 11 |     return f(x)
#    |            ^
# kernel_class.py:5:7: note: 'f' is bound here
# 5 | class f:
#   |       ^
