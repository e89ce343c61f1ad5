# schedule: s
from allo import *


@kernel
def top(a: i32[8, 8], b: i32[8, 8]):
    for i in range(8):
        for j in range(8):
            b[i, j] = a[i, j] + 1
    while b[0, 0] > 9:
        b[0, 0] -= 1


s = top.schedule()
s.pipeline("i", ii=-2)
# -->
# [E0806] interval.py:15:1: error: InvalidScheduleArgumentError: 'ii' is at least -1
# 15 | s.pipeline("i", ii=-2)
#    | ^^^^^^^^^^^^^^^^^^^^^^
