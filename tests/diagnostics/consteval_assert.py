from allo import *


@consteval
def table(n):
    assert n % 2 == 0, "n must be even"
    return n


@kernel
def f(x: i32) -> i32:
    return x + table(3)
