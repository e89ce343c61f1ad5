from allo import *


@kernel(option=KernelOptions())
def f(x: i32):
    pass
