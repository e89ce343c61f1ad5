from allo import *


FixedT = i32


@kernel
def g(x: FixedT) -> FixedT:
    return x


h = g[f32]


@kernel
def f(x: f32) -> f32:
    return h(x)
# -->
# [E0206] alias_called.py:17:12: error: kernel 'g' has no templates to bind
# 17 |     return h(x)
#    |            ^^^^
