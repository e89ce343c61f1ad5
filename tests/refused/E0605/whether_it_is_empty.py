from allo import *


@kernel
def f(s: Stream[i32], y: "i32[1]"):
    if s.empty() == 0:
        y[0] = s.get()
# -->
# [E0605] whether_it_is_empty.py:6:8: error: 'empty' has no hardware yet
# 6 |     if s.empty() == 0:
#   |        ^^^^^^^^^
