import allo
from allo import *

@kernel
def f(x: i32) -> i32:
    y: i32 = x
    y: i32 = 1
    if x > 0:
        y: i32 = 2
    return y
# -->
# [E0403] redeclared.py:7:5: error: 'y' is already declared
# 7 |     y: i32 = 1
#   |     ^
# redeclared.py:6:5: note: the earlier declaration is here
# 6 |     y: i32 = x
#   |     ^
# help: assign to it without an annotation, or choose another name
# [E0403] redeclared.py:9:9: error: 'y' is already declared
# 9 |         y: i32 = 2
#   |         ^
# redeclared.py:6:5: note: the earlier declaration is here
# 6 |     y: i32 = x
#   |     ^
# help: assign to it without an annotation, or choose another name
