from allo import *


T = Template("T")


@kernel(T)
def g(x: T) -> T:
    return x


@kernel
def f(x: i32) -> i32:
    return g[i32, 4](x)
# -->
# [E0206] template_too_many.py:14:12: error: kernel 'g' has 1 template, but 2 values are given
# 14 |     return g[i32, 4](x)
#    |            ^^^^^^^^^^^^
# help: specialise it: `g[T]`
