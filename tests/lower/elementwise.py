import allo
from allo import i32, f32, u1, u8, kernel


@kernel
def chain(a: "i32[4]", b: "i32[4]", c: "i32[4]", s: u8) -> "i32[4]":
    return a + b - c + s


@kernel
def broadcast(a: "f32[2, 3]", b: "f32[3]", c: "f32[2, 1]") -> "f32[2, 3]":
    t = a * b
    return t / c


@kernel
def accumulate(x: "f32[4]", y: "f32[4]", out: "f32[4]"):
    allo.arith.add(x, y, acc=out)
    allo.math.exp(x, acc=out)
    allo.arith.mul(2.0, 3, acc=out)
    out *= x


@kernel
def compare(x: "i32[4]", y: i32) -> "u1[4]":
    return x > y
