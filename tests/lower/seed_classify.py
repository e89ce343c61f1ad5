import allo
from allo import *
from allo import KernelOptions, consteval, kernel, constexpr, Template

@kernel
def classify(x: i32, y: i32) -> i32:
    result: i32 = 0
    if x == 0:
        result = 1
    elif y > x:
        result = 2
    else:
        result = 3
    return result
