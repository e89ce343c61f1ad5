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
s.partition(s.buffer("c"), kind=s.Cyclic, factor=2)
# -->
# [E0801] buffer.py:15:13: error: ScheduleLookupError: there is no array 'c'; the arrays are 'top/a@6', 'top/b@6'
# 15 | s.partition(s.buffer("c"), kind=s.Cyclic, factor=2)
#    |             ^^^^^^^^^^^^^
