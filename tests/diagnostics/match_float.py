from allo import *


@kernel
def f(x: i32, y: f32) -> i32:
    match y:
        case 0:
            x = 1
    return x
