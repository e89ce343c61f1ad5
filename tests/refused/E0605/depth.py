from allo import *


@kernel
def f(x: "i32[4]"):
    s: Stream[i32, 0]
    s.put(x[0])
    x[1] = s.get()
# -->
# [E0605] depth.py:6:20: error: the depth of a stream is an int between 1 and 1048576
# 6 |     s: Stream[i32, 0]
#   |                    ^
