from allo import i32, kernel

def g(n):
    return g(n + 1)


N = g(0)


@kernel
def f(x: i32) -> i32:
    return x + N
# -->
# [E0106] hostile_recursion.py:4:12: error: compile-time calls are nested too deeply
# 4 |     return g(n + 1)
#   |            ^^^^^^^^
