from allo import *


@consteval
def table():
    return {1: 2}


@kernel
def f(x: i32) -> i32:
    return x + table()
