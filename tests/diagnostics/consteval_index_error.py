from allo import *


@consteval
def table(n):
    return [1, 2][n]


@kernel
def f(x: i32) -> i32:
    return x + table(3)
