import allo
from allo import *

@kernel
def f(x: i32) -> i32:
    a: i32 = b
    c = a + 1
    d: i32 = c + e
    return d + a
# -->
# [E0101] several_errors.py:6:14: error: Name 'b' is not defined
# 6 |     a: i32 = b
#   |              ^
