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
s.bind_storage("a", impl=s.BRAM)
# -->
# [E0807] storage_outside.py:15:1: error: ScheduleTransformError: its memory is outside of the kernel
# 15 | s.bind_storage("a", impl=s.BRAM)
#    | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# storage_outside.py:6:9: note: this is meant
# 6 | def top(a: i32[8, 8], b: i32[8, 8]):
#   |         ^
