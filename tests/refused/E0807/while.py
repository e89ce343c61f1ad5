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
s.split(s.loop("while"), factor=2)
# -->
# [E0807] while.py:15:1: error: ScheduleTransformError: it has no counter
# 15 | s.split(s.loop("while"), factor=2)
#    | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# while.py:10:5: note: this is meant
# 10 |     while b[0, 0] > 9:
#    |     ^^^^^^^^^^^^^^^^^^
