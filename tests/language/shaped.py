# Operations on whole arrays.
import allo
from allo import *


@kernel
def broadcast(a: "i8[2, 3]", b: "i8[3]", c: "i8[2, 1]") -> "i16[2, 3]":
    return a + b * c


#: broadcast {"a": [1, 2, 3, 4, 5, 6], "b": [1, 10, 100], "c": [1, -1]} -> {"return": [[2, 12, 103], [3, -5, -94]]}


@kernel
def select_by_scalar(c: i32, a: "i32[2]", b: "i8[2]") -> "i32[2]":
    return a if c else b


@kernel
def select_by_elements(c: "i32[2]", a: "i32[2, 2]") -> "i32[2, 2]":
    return a if c > 0 else -1


#: select_by_scalar {"c": 0, "a": [1, 2], "b": [-3, 4]} -> {"return": [-3, 4]}
#: select_by_scalar {"c": 8, "a": [1, 2], "b": [-3, 4]} -> {"return": [1, 2]}
#: select_by_elements {"c": [1, 0], "a": [1, 2, 3, 4]} -> {"return": [[1, -1], [3, -1]]}


@kernel
def logic(a: "i32[3]", b: "f32[3]") -> ("u1[3]", "u1[3]", "u1[3]"):
    return a and b, a or b, not a


#: logic {"a": [0, 2, 3], "b": [1, 0, "nan"]} -> {"return": [[0, 0, 1], [1, 1, 1], [1, 0, 0]]}


@kernel
def accumulators(x: "f32[2]", i: "i32[2]", m: "f32[2, 2]", s: "i8[2]"):
    allo.arith.mul(x, 2.0, acc=m)
    allo.math.sqrt(i, acc=x)
    allo.arith.max(i, 10, acc=i)
    allo.arith.sub(1, 3, acc=s)


#: accumulators {"x": [0.5, 1], "i": [16, 9], "m": [0, 0, 0, 0], "s": [0, 0]} -> {"m": [[1.0, 2.0], [1.0, 2.0]], "x": [4.0, 3.0], "i": [16, 10], "s": [-2, -2]}


@kernel
def fills(a: "i32[3]", b: "i32[3]", x: i32):
    a = x
    b += a
    b[0] = 0


#: fills {"a": [1, 2, 3], "b": [1, 2, 3], "x": 10} -> {"a": [10, 10, 10], "b": [0, 12, 13]}


@kernel
def exact_dot(a: "i8[4]", b: "i8[4]", c: "i8[]") -> "i32[]":
    allo.linalg.dot(a, b, acc=c)
    return allo.linalg.dot(a, b)


#: exact_dot {"a": [127, 127, 127, 127], "b": [127, 127, 127, 127], "c": 1} -> {"return": 64516, "c": 5}
