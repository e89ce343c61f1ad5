from allo import i32, kernel, consteval


@consteval
def forever():
    while True:
        pass


@consteval
def deep(n):
    return deep(n + 1)


@consteval
def bomb():
    return [[0] * 100000 for i in range(1000000)]


@kernel
def f(x: i32) -> i32:
    return x + forever()


@kernel
def g(x: i32) -> i32:
    return x + deep(0)


@kernel
def h(x: i32) -> i32:
    return x + len(bomb())
# -->
# [E0106] consteval_endless.py:6:11: error: compile-time computation takes too many steps
# 6 |     while True:
#   |           ^^^^
# [E0106] consteval_endless.py:12:12: error: compile-time calls are nested too deeply
# 12 |     return deep(n + 1)
#    |            ^^^^^^^^^^^
# [E0106] consteval_endless.py:17:13: error: compile-time computation takes too many steps
# 17 |     return [[0] * 100000 for i in range(1000000)]
#    |             ^^^^^^^^^^^^
