# schedule: s
from allo import *


@kernel
def top(a: i32[8, 8]):
    for i in range(8):
        a[i, i] += 1


s = top.schedule()
s.partition("a", dim=2, kind=s.Skew, factor=2)
s.partition("a", dim=1, kind=s.Skew, factor=2)
# -->
# [E0807] skew.py:13:1: error: ScheduleTransformError: it has skewed banks already
# 13 | s.partition("a", dim=1, kind=s.Skew, factor=2)
#    | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# skew.py:6:9: note: this is meant
# 6 | def top(a: i32[8, 8]):
#   |         ^
