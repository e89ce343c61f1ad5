from allo import *


@kernel
def f(x: i32, y: f32) -> i32:
    return x << y
