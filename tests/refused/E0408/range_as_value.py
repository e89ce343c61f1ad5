from allo import *


@kernel
def f(x: "i32[4]"):
    r = range(4)
    for i in r:
        x[i] = 0
# -->
# [E0408] range_as_value.py:6:9: error: range and grid stand in the header of a for loop only
# 6 |     r = range(4)
#   |         ^^^^^^^^
# [E0408] range_as_value.py:7:14: error: a for loop must run over range or allo.grid
# 7 |     for i in r:
#   |              ^
# help: write `for i in range(n):`
