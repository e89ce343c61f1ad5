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
s = top.schedule()
s.pipeline(t.loop("i"))
# -->
# [E0805] of_another.py:16:1: error: ScheduleTypeError: 'i' belongs to another schedule
# 16 | s.pipeline(t.loop("i"))
#    | ^^^^^^^^^^^^^^^^^^^^^^^
