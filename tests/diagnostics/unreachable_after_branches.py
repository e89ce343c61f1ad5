import allo
from allo import i32, kernel


@kernel
def after_branches(x: i32) -> i32:
    if x > 3:
        return x
    elif x > 2:
        return 2
    else:
        return 1
    x = 1
    return x


@kernel
def without_results(x: i32, out: "i32[1]"):
    if x > 3:
        return
    else:
        out[0] = x
        return
    out[0] = 1
