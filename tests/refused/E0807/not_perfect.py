# schedule: s
from allo import *


@kernel
def top(a: i32[8, 8], b: i32[8, 8]):
    for i in range(8):
        for j in range(8):
            b[i, j] = a[i, j] + 1
        b[i, 0] = 0
    while b[0, 0] > 9:
        b[0, 0] -= 1


s = top.schedule()
s.reorder(("j", "i"))
# -->
# [E0807] not_perfect.py:16:1: error: ScheduleTransformError: this stands between its loops, so that the nest is not perfect
# 16 | s.reorder(("j", "i"))
#    | ^^^^^^^^^^^^^^^^^^^^^
# not_perfect.py:8:9: note: this is meant
# 8 |         for j in range(8):
#   |         ^^^^^^^^^^^^^^^^^^
