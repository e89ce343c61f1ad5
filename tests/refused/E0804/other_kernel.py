# schedule: s top
from allo import *


@kernel
def inner(v: i32[8]):
    for i in range(8):
        v[i] += 1


@kernel
def top(v: i32[8]):
    inner(v)


s = inner.schedule()
# -->
# [E0804] error: ScheduleStateError: 's' is a schedule of 'inner', and the top kernel is 'top'
