# `acc=`: by name and by position, in arrays of rank 0, and with tensors.
import allo
from allo import *

TENSORS = KernelOptions(enable_tensor=True)


@kernel
def by_position(a: "i8[3]", b: "i8[3]", c: "i32[3]", d: "i32[3]"):
    allo.arith.add(a, b, c)
    allo.arith.neg(a, d)
    e = allo.arith.mul(c, 2, None)
    d[0] += e[1]


#: by_position {"a": [1, 2, 127], "b": [5, -6, 127], "c": [0, 0, 0], "d": [0, 0, 0]} -> {"c": [6, -4, 254], "d": [-9, -2, -127]}


@kernel
def product(a: "i8[2, 3]", b: "i8[3, 2]", c: "i32[2, 2]"):
    allo.linalg.matmul(a, b, c)


#: product {"a": [1, 2, 3, 4, 5, 6], "b": [1, 0, 0, 1, 1, 1], "c": [100, 100, 100, 100]} -> {"c": [[104, 105], [110, 111]]}


@kernel
def rank_zero(x: i32, a: "i32[]", b: "i16[]") -> i32:
    allo.arith.add(x, 1, acc=a)
    allo.arith.mul(a, a, b)
    allo.arith.sub(a, b, a)
    return a[()]


#: rank_zero {"x": 9, "a": 0, "b": 0} -> {"return": -90, "a": -90, "b": 100}


@kernel(options=TENSORS)
def tensors(a: "i8[3]", b: "i8[3]", c: "i32[3]") -> ("i32[3]", "i32[3]"):
    d = allo.arith.add(a, b, acc=c)
    c = allo.arith.add(c, d, c)
    return c, d


#: tensors {"a": [1, 2, 127], "b": [5, -6, 127], "c": [10, 20, 30]} -> {"return": [[16, 16, 284], [6, -4, 254]]}


@kernel(options=TENSORS)
def tensor_products(a: "i8[2, 2]", c: "i16[2, 2]") -> ("i16[2, 2]", "i16[2, 2]"):
    d = allo.linalg.matmul(a, a, acc=c)
    return d, c


#: tensor_products {"a": [1, 2, 3, 4], "c": [1, 1, 1, 1]} -> {"return": [[[8, 11], [16, 23]], [[1, 1], [1, 1]]]}
