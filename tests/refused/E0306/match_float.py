from allo import *


@kernel
def f(x: i32, y: f32) -> i32:
    match y:
        case 0:
            x = 1
    return x
# -->
# [E0306] match_float.py:6:11: error: match needs an integer, not a value of type f32
# 6 |     match y:
#   |           ^
