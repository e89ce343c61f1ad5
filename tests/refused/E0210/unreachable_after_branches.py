import allo
from allo import i32, kernel


@kernel
def after_branches(x: i32) -> i32:
    if x > 3:
        return x
    elif x > 2:
        return 2
    else:
        return 1
    x = 1
    return x


@kernel
def without_results(x: i32, out: "i32[1]"):
    if x > 3:
        return
    else:
        out[0] = x
        return
    out[0] = 1
# -->
# [E0210] unreachable_after_branches.py:13:5: error: this statement is never reached
# 13 |     x = 1
#    |     ^^^^^
# unreachable_after_branches.py:7:8: note: every branch of this if returns
# 7 |     if x > 3:
#   |        ^^^^^
# [E0210] unreachable_after_branches.py:24:5: error: this statement is never reached
# 24 |     out[0] = 1
#    |     ^^^^^^^^^^
# unreachable_after_branches.py:19:8: note: every branch of this if returns
# 19 |     if x > 3:
#    |        ^^^^^
