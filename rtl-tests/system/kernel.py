# The kernel of the system: arrays that are read and that are both, a scalar, and a result.
from allo import *


@kernel
def blend(weight: i32, a: i32[48], b: i32[48]) -> i32:
    total: i32 = 0
    for i in range(48):
        b[i] = b[i] + weight * a[i]
        total += b[i]
    return total
