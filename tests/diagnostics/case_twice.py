from allo import i32, kernel

STOP = 4


@kernel
def f(op: i32) -> i32:
    r: i32 = 0
    match op:
        case 1 | 2:
            r = 1
        case 3 | 2:
            r = 2
    return r


@kernel
def g(op: i32) -> i32:
    r: i32 = 0
    match op:
        case 1 | 1:
            r = 1
    return r


@kernel
def h(op: i32) -> i32:
    r: i32 = 0
    match op:
        case 4:
            r = 1
        case 0x4:
            r = 2
        case _:
            r = 3
    return r


@kernel
def k(op: i32) -> i32:
    r: i32 = 0
    match op:
        case _:
            r = 1
        case 3:
            r = 2
    return r
