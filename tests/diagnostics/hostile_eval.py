from allo import i32, kernel

N = eval("1 + 1")


@kernel
def f(x: i32) -> i32:
    return x + N
