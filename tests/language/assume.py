# Promises: where they are so, nothing changes.
import allo
from allo import *


@kernel
def small(a: i32, b: i32) -> i32:
    allo.assume(a >= -8 and a < 8)
    assume(0 <= b)
    assume(b <= 15)
    return a * b


#: small {"a": -8, "b": 15} -> {"return": -120}
#: small {"a": 7, "b": 0} -> {"return": 0}


@kernel
def sum_of(x: "i32[8]", n: i32) -> i32:
    allo.assume(n >= 0)
    allo.assume(n <= 8)
    assume(True)
    s: i32 = 0
    for i in range(n):
        s += x[i]
    return s


#: sum_of {"x": [1, 2, 3, 4, 5, 6, 7, 8], "n": 8} -> {"return": 36}
#: sum_of {"x": [1, 2, 3, 4, 5, 6, 7, 8], "n": 0} -> {"return": 0}
