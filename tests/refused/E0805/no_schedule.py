# schedule: s
from allo import *


@kernel
def top(a: i32[8, 8], b: i32[8, 8]):
    for i in range(8):
        for j in range(8):
            b[i, j] = a[i, j] + 1
    while b[0, 0] > 9:
        b[0, 0] -= 1


def s():
    return 3
# -->
# [E0805] error: ScheduleTypeError: 's()' gives an int, not a schedule
