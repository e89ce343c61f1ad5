from allo import *


@consteval
def table(n):
    raise ValueError("n must be even")


@kernel
def f(x: i32) -> i32:
    return x + table(3)
