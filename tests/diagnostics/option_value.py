from allo import *


@kernel(options=KernelOptions(enable_tensor=1))
def f(x: i32):
    pass
