from allo import *


@consteval
def double(n):
    return 2 * n


@kernel
def f(x: i32) -> i32:
    return double(x)
