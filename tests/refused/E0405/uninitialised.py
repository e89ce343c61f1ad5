import allo
from allo import *

@kernel
def f(x: i32) -> i32:
    y: i32
    return x
# -->
# [E0405] uninitialised.py:6:5: error: scalar 'y' needs an initialiser
# 6 |     y: i32
#   |     ^
# help: write `y: i32 = 0`
