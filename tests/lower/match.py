from allo import i32, kernel


@kernel
def decode(op: i32, a: i32, b: i32) -> i32:
    r: i32 = 0
    match op:
        case 0:
            r = a + b
        case 1 | 2:
            r = a - b
        case -1:
            r = b
        case _:
            r = a
    return r
