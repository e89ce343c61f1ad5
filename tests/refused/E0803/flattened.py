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
    s = top.schedule()
    i, j = s.loops("i", "j")
    s.flatten((i, j))
    s.live(j)
    return s
# -->
# [E0803] flattened.py:18:5: error: ConsumedHandleError: the loop 'j' is no more since an earlier call
# 18 |     s.live(j)
#    |     ^^^^^^^^^
# flattened.py:14:5: note: in the compile-time call of 's'
# 14 | def s():
#    |     ^
