import allo
from allo import *


@kernel
def f(a: i32, b: i32) -> i32:
    return allo.linalg.dot(a, b)
