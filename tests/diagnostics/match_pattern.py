from allo import i32, kernel


@kernel
def f(op: i32) -> i32:
    r: i32 = 0
    match op:
        case x:
            r = 1
    match op:
        case 0 if op > 3:
            r = 1
    match op:
        case 1:
            return r
    return r
