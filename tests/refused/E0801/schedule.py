# schedule: s
from allo import *


@kernel
def top(a: i32[8, 8], b: i32[8, 8]):
    for i in range(8):
        for j in range(8):
            b[i, j] = a[i, j] + 1
    while b[0, 0] > 9:
        b[0, 0] -= 1


t = top.schedule()
# -->
# [E0801] error: ScheduleLookupError: there is no schedule 's'
# note: the schedules of the file are: t
