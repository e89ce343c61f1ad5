from allo import *


@kernel
def f(s: Stream[i32], y: "i32[1]"):
    t = s
    y[0] = t.get()
# -->
# [E0605] stream_as_a_value.py:6:9: error: a stream has one name, and cannot be assigned to another
# 6 |     t = s
#   |         ^
