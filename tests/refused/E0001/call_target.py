from allo import *


@kernel
def f(x: i32) -> i32:
    range(3) = x
    return x
# -->
# [E0001] call_target.py:6:5: error: syntax error: invalid assignment target
# 6 |     range(3) = x
#   |     ^^^^^^^^
