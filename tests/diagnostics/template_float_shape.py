from allo import *


N = Template("N")


@kernel(N)
def g(x: "i32[N]"):
    x[0] = 1


@kernel
def f(x: "i32[4]"):
    g[4.0](x)
