from allo import *


T = Template(3)


@kernel(T)
def f(x: T) -> T:
    return x


@kernel
def g(x: i32) -> i32:
    return f[i32](x)
# -->
# [E0102] template_name.py:7:9: error: 'T' has no value at compile time: a template's name is a string, not an int
# 7 | @kernel(T)
#   |         ^
# template_name.py:4:1: note: 'T' is bound here
# 4 | T = Template(3)
#   | ^
