from allo import i32, kernel

N = eval("1 + 1")


@kernel
def f(x: i32) -> i32:
    return x + N
# -->
# [E0102] hostile_eval.py:8:16: error: 'N' has no value at compile time: Python's 'eval' is not available at compile time
# 8 |     return x + N
#   |                ^
# hostile_eval.py:3:1: note: 'N' is bound here
# 3 | N = eval("1 + 1")
#   | ^
