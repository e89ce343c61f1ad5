from allo import *


@kernel
def f[T](x: T) -> T:
    return x


@kernel
def g(x: i32) -> i32:
    return f[i32](x)
# -->
# [E0206] kernel_type_parameters.py:5:6: error: type parameters are written with Template(...), not in brackets
# 5 | def f[T](x: T) -> T:
#   |      ^^^
# [E0206] kernel_type_parameters.py:11:12: error: kernel 'f' has no templates to bind
# 11 |     return f[i32](x)
#    |            ^^^^^^^^^
