import allo
from allo import *

@kernel
def f(x: i32):
    x + 1
# -->
# [E0412] no_effect.py:6:5: error: this expression has no effect
# 6 |     x + 1
#   |     ^^^^^
