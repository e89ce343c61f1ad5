from allo import *


FixedT = i32


@kernel
def g(x: FixedT) -> FixedT:
    return x


h = g[f32]


@kernel
def f(x: f32) -> f32:
    return h(x)
