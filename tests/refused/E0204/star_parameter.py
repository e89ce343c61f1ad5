import allo
from allo import *

@kernel
def f(*x: i32):
    pass
# -->
# [E0204] star_parameter.py:5:7: error: a kernel cannot take a variable number of arguments
# 5 | def f(*x: i32):
#   |       ^^^^^^^
