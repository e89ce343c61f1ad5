from allo import *


N = Template("N")


@kernel(N)
def g(x: i32) -> i32:
    return x + N


@kernel
def f(x: i32) -> i32:
    return g["four"](x)
# -->
# [E0206] template_value_text.py:14:12: error: a template is bound to a type or a number, not a string
# 14 |     return g["four"](x)
#    |            ^^^^^^^^^
