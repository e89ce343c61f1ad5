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
# -->
# [E0411] case_twice.py:12:18: error: the case 2 is there already
# 12 |         case 3 | 2:
#    |                  ^
# case_twice.py:10:18: note: the first one is here
# 10 |         case 1 | 2:
#    |                  ^
# [E0411] case_twice.py:21:18: error: the case 1 is there already
# 21 |         case 1 | 1:
#    |                  ^
# case_twice.py:21:14: note: the first one is here
# 21 |         case 1 | 1:
#    |              ^
# [E0411] case_twice.py:32:14: error: the case 4 is there already
# 32 |         case 0x4:
#    |              ^^^
# case_twice.py:30:14: note: the first one is here
# 30 |         case 4:
#    |              ^
# [E0411] case_twice.py:45:14: error: this case is never reached
# 45 |         case 3:
#    |              ^
# case_twice.py:43:14: note: this one takes everything
# 43 |         case _:
#    |              ^
