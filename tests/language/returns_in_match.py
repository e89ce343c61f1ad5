# Returns in the cases of a match.
from allo import *


@kernel
def matched(op: u3, x: i32) -> i32:
    match op:
        case 0:
            return x
        case 1 | 2:
            return -x
        case 3:
            x = x * 2
        case _:
            return 0
    return x + 1


#: matched {"op": 0, "x": 5} -> {"return": 5}
#: matched {"op": 2, "x": 5} -> {"return": -5}
#: matched {"op": 3, "x": 5} -> {"return": 11}
#: matched {"op": 7, "x": 5} -> {"return": 0}


@kernel
def all_return(op: i32, x: i32) -> (i32, i32):
    match op:
        case 5:
            y: i32 = x + 1
            return y, 1
        case _:
            return x, 2


#: all_return {"op": 5, "x": 1} -> {"return": [2, 1]}
#: all_return {"op": 4, "x": 1} -> {"return": [1, 2]}


@kernel
def some_go_on(op: i32, x: "i32[2]") -> i32:
    s: i32 = 1
    match op:
        case 1:
            s = 2
        case 2:
            x[0] = 9
            return 7
        case 3:
            s = 4
    x[1] = s
    return s * 10


#: some_go_on {"op": 1, "x": [0, 0]} -> {"return": 20, "x": [0, 2]}
#: some_go_on {"op": 2, "x": [0, 0]} -> {"return": 7, "x": [9, 0]}
#: some_go_on {"op": 3, "x": [0, 0]} -> {"return": 40, "x": [0, 4]}
#: some_go_on {"op": 8, "x": [0, 0]} -> {"return": 10, "x": [0, 1]}
