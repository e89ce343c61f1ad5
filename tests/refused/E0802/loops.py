# schedule: s
from allo import *


@kernel
def inner(v: i32[8]):
    for i in range(8):
        v[i] += 1


@kernel
def top(v: i32[8], w: i32[8]):
    for i in range(8, name="x"):
        w[i] = v[i]
    for i in range(8, name="x"):
        v[i] = w[i]
    inner(v)


s = top.schedule()
s.unroll("x")
# -->
# [E0802] loops.py:21:1: error: AmbiguousLookupError: several loops have this name: 'top/x@13', 'top/x@15'
# 21 | s.unroll("x")
#    | ^^^^^^^^^^^^^
