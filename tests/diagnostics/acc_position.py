import allo
from allo import KernelOptions, i32, kernel


@kernel
def f(a: "i32[4]", b: "i32[4]", c: "i32[3]"):
    allo.arith.add(a, b, c)
    allo.arith.add(a, b, 5)
    allo.arith.add(a, b, b, acc=a)
    allo.arith.max(a, b, 5, acc=5)


@kernel(options=KernelOptions(enable_tensor=True))
def g(a: "i32[4]", b: "i32[4]", c: "i32[4]") -> "i32[4]":
    allo.arith.add(a, b, acc=c)
    return c
