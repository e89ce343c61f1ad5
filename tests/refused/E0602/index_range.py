import allo
from allo import *

@kernel
def f(x: "i32[4]") -> i32:
    x[-1] = 0
    return x[4]
# -->
# [E0602] index_range.py:6:7: error: index -1 is out of range 0 to 3
# 6 |     x[-1] = 0
#   |       ^^
# [E0602] index_range.py:7:14: error: index 4 is out of range 0 to 3
# 7 |     return x[4]
#   |              ^
