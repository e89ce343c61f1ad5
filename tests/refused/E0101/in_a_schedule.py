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


def go():
    s.pipeline(loops)


go()
# -->
# [E0101] in_a_schedule.py:18:16: error: Name 'loops' is not defined
# 18 |     s.pipeline(loops)
#    |                ^^^^^
# in_a_schedule.py:21:1: note: in the compile-time call of 'go'
# 21 | go()
#    | ^^^^
