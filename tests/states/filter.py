from allo import *

START = [3, -1, 4, 1]


@kernel
def top(x: i16) -> i32:
    taps: Stateful[i16[4]] = START
    for i in range(3):
        taps[3 - i] = taps[2 - i]
    taps[0] = x
    total: i32 = 0
    for i in range(4):
        total += taps[i] * (i + 1)
    return total
