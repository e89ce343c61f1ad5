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
i = s.loop("i")
s.split(i, factor=4)
s.pipeline(i)
# -->
# [E0803] split.py:17:1: error: ConsumedHandleError: the loop 'i' is no more since an earlier call
# 17 | s.pipeline(i)
#    | ^^^^^^^^^^^^^
