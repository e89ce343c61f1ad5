# top: matnul
from allo import i32, kernel


@kernel
def matmul(x: i32) -> i32:
    return x
