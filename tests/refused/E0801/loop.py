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
s.pipeline("k")
# -->
# [E0801] loop.py:15:1: error: ScheduleLookupError: there is no loop 'k'; the loops are 'top/i@7', 'top/i/j@8', 'top/while@10'
# 15 | s.pipeline("k")
#    | ^^^^^^^^^^^^^^^
