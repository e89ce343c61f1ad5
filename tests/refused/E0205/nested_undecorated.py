import allo
from allo import *

@kernel
def f(x: i32) -> i32:
    def g(v):
        return v
    return g(x)
# -->
# [E0205] nested_undecorated.py:6:9: error: the function 'g' in a kernel is not a kernel
# 6 |     def g(v):
#   |         ^
# help: decorate it with @kernel
