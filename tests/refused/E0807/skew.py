# schedule: s
from allo import *


@kernel
def top(a: i32[8, 8]):
    for i in range(8):
        a[i, i] += 1


s = top.schedule()
s.partition("a", dim=2, kind=s.Skew, factor=2)
# -->
# [E0807] skew.py:12:1: error: ScheduleTransformError: skewed banks cannot be built yet: there are Complete, Block and Cyclic
# 12 | s.partition("a", dim=2, kind=s.Skew, factor=2)
#    | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
