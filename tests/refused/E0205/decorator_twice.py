import allo
from allo import *

@kernel
@kernel
def f(x: i32):
    pass
# -->
# [E0205] decorator_twice.py:4:1: error: a kernel has exactly one decorator
# 4 | @kernel
#   | ^^^^^^^
