# top: matnul
from allo import i32, kernel


@kernel
def matmul(x: i32) -> i32:
    return x
# -->
# [E0004] error: there is no kernel 'matnul'
# note: the kernels of the file are: matmul
# help: did you mean 'matmul'?
