import allo
from allo import *

@kernel(3)
def f(x: i32):
    pass
# -->
# [E0205] decorator_argument.py:4:9: error: @kernel takes templates, not an int
# 4 | @kernel(3)
#   |         ^
