import allo
from allo import f32, i32, kernel, KernelOptions


@kernel(options=KernelOptions(enable_tensor=True))
def tensor_add(x: "f32[4]", y: "f32[4]") -> "f32[4]":
    return x + y


@kernel(options=KernelOptions(enable_tensor=True))
def dot_scalar(a: "f32[4]", b: "f32[4]") -> f32:
    return allo.linalg.dot(a, b)[()]


@kernel(options=KernelOptions(enable_tensor=True))
def dense(a: "f32[2, 3]", b: "f32[3, 4]") -> "f32[2, 4]":
    return allo.linalg.matmul(a, b)


@kernel
def increment(a: "i32[4]"):
    a[0] += 1


@kernel(options=KernelOptions(enable_tensor=True))
def keeps_argument(a: "i32[4]", i: i32) -> "i32[4]":
    increment(a)
    a[i] = 3
    return a


@kernel
def from_call(a: "i32[4]", i: i32) -> "i32[4]":
    r = keeps_argument(a, i)
    return r
