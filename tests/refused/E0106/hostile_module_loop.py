from allo import i32, kernel

N = 0
while True:
    N += 1


@kernel
def f(x: i32) -> i32:
    return x + N
# -->
# [E0106] hostile_module_loop.py:5:5: error: compile-time computation takes too many steps
# 5 |     N += 1
#   |     ^^^^^^
