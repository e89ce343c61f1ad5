import allo
from allo import *

@kernel
def f(n: i32):
    a: "i32[n]"
# -->
# [E0107] shape_runtime.py:6:13: error: 'n' is not known at compile time
# 6 |     a: "i32[n]"
#   |             ^
