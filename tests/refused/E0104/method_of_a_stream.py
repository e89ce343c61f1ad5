from allo import *


@kernel
def f(s: Stream[i32], y: "i32[1]"):
    y[0] = s.pop()
# -->
# [E0104] method_of_a_stream.py:6:14: error: a stream has no method 'pop'
# 6 |     y[0] = s.pop()
#   |              ^^^
