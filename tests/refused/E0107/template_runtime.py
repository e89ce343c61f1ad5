from allo import *


N = Template("N")


@kernel(N)
def g(x: i32) -> i32:
    return x + N


@kernel
def f(x: i32) -> i32:
    return g[x](x)
# -->
# [E0107] template_runtime.py:14:14: error: a kernel is indexed with compile-time values only
# 14 |     return g[x](x)
#    |              ^
