from allo import i32, kernel

N = len(open("/etc/passwd").read())


@kernel
def f(x: i32) -> i32:
    return x + N
# -->
# [E0102] hostile_open.py:8:16: error: 'N' has no value at compile time: Python's 'open' is not available at compile time
# 8 |     return x + N
#   |                ^
# hostile_open.py:3:1: note: 'N' is bound here
# 3 | N = len(open("/etc/passwd").read())
#   | ^
