from allo import *


@kernel
def g(x: i32) -> i32:
    return x


@kernel
def f(x: i32) -> i32:
    return g[i32](x)
# -->
# [E0206] template_plain_kernel.py:11:12: error: kernel 'g' has no templates to bind
# 11 |     return g[i32](x)
#    |            ^^^^^^^^^
