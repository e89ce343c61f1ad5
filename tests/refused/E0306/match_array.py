from allo import *


@kernel
def a(x: "i32[4]") -> i32:
    match x:
        case _:
            return 1


@kernel
def b() -> i32:
    match 1.5:
        case _:
            return 1
# -->
# [E0306] match_array.py:6:11: error: match needs an integer, not an array
# 6 |     match x:
#   |           ^
# [E0306] match_array.py:13:11: error: match needs an integer, not a float
# 13 |     match 1.5:
#    |           ^^^
