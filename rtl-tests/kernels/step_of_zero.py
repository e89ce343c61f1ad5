# A loop whose step is zero has no iteration, however far its bounds are apart; nor has it a number of likely ones.
from allo import *


@kernel
def top(n: "u4") -> i32:
    step: i32 = 0
    v: i32 = 5
    for i in range(0, n, step):
        for j in range(2):
            v = v + 1
    return v
