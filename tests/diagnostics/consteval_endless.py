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
