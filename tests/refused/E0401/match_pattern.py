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
# -->
# [E0401] match_pattern.py:8:14: error: a match case is an int literal, '|' of them, or '_'
# 8 |         case x:
#   |              ^
# [E0401] match_pattern.py:11:19: error: guards of match cases are not supported
# 11 |         case 0 if op > 3:
#    |                   ^^^^^^
