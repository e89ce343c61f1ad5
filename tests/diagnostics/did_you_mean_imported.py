from allo import KernelOption, i32, kernel


@kernel(options=KernelOption())
def f(x: i32) -> i32:
    return x
