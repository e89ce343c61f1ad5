from allo import i32, kernel

N = [0]
while True:
    N = N + N


@kernel
def f(x: i32) -> i32:
    return x + N
# -->
# [E0106] hostile_memory.py:5:9: error: a compile-time sequence exceeds 131072 elements
# 5 |     N = N + N
#   |         ^^^^^
