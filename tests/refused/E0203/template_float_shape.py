from allo import *


N = Template("N")


@kernel(N)
def g(x: "i32[N]"):
    x[0] = 1


@kernel
def f(x: "i32[4]"):
    g[4.0](x)
# -->
# [E0203] template_float_shape.py:8:15: error: the extent of a shape must be an int, not a float
# 8 | def g(x: "i32[N]"):
#   |               ^
# template_float_shape.py:14:5: note: in kernel 'g' called from 'f'
# 14 |     g[4.0](x)
#    |     ^^^^^^^^^
# help: ints are divided by `//`
