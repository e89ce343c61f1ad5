from allo import *


@kernel
def f(x: i32) -> i32:
    match x:
        case "a":
            x = 1
    return x
# -->
# [E0401] match_text.py:7:14: error: a match case must be a compile-time int
# 7 |         case "a":
#   |              ^^^
