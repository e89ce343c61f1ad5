from allo import *


T = Template("T")


@kernel(T)
def g(x: T) -> T:
    return x


@kernel
def f(x: i32) -> i32:
    return g[i32][i32](x)
# -->
# [E0206] template_specialised_twice.py:14:12: error: the kernel is specialised already
# 14 |     return g[i32][i32](x)
#    |            ^^^^^^^^^^^
