from allo import *


@kernel
def f(x: i32) -> i32:
    match x:
        case "a":
            x = 1
    return x
