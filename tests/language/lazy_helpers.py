# Helpers in the syntax of kernels, with constants and without.
import allo
from allo import *


@consteval(lazy=True)
def reversed_bits(data: u8, count: u8) -> u8:
    result: u8 = 0
    for i in range(8):
        if i < count:
            result[count - 1 - i] = data[i]
    return result


@consteval(lazy=True)
def square(sel: i32) -> i32:
    table: "i32[4]"
    for t in range(4):
        table[t] = t * t
    return table[sel]


@consteval(lazy=True)
def wrapped(x: i8) -> (i8, f32):
    return x + 100, x * 0.5


@allo.consteval()
def plain(x):
    return x * 10


@consteval(lazy=False)
def plain_too(x):
    return [x, x + 1]


@kernel
def folded(x: i32) -> (i32, i32, i32, f32):
    low, half = wrapped(100)
    return x + reversed_bits(6, 4), square(square(1) + 2), low, half


#: folded {"x": 1000} -> {"return": [1006, 9, -56, 50.0]}


@kernel
def called(x: u8, sel: i32) -> (u8, i32, i8):
    low, half = wrapped(sel)
    return reversed_bits(x, 8), square(sel), low


#: called {"x": 19, "sel": 3} -> {"return": [200, 9, 103]}


@kernel
def inside(x: i32) -> i32:
    @consteval(lazy=True)
    def twice(y: i32) -> i32:
        return y + y

    return twice(21) + twice(x)


#: inside {"x": 4} -> {"return": 50}


@kernel
def known(x: i32) -> i32:
    return x + plain(3) + plain_too(4)[1]


#: known {"x": 1} -> {"return": 36}
