import allo
from allo import i8, i32, f32, kernel, KernelOptions


@kernel
def buffer_matmul(a: "f32[2, 3]", b: "f32[3, 4]", out: "f32[2, 4]"):
    allo.linalg.matmul(a, b, acc=out)


@kernel
def fresh_matmul(a: "i8[2, 3]", b: "i8[3, 4]") -> "i32[2, 4]":
    return allo.linalg.matmul(a, b)


@kernel
def dot_scalar(a: "f32[4]", b: "f32[4]") -> f32:
    return allo.linalg.dot(a, b)[()]
