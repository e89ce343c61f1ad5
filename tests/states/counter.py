from allo import *


@kernel
def top(step: i8) -> i32:
    count: Stateful[i32] = 100
    count += step
    return count
