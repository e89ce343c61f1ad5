from allo import *


@kernel
def f(s: Stream[i32], t: Stream[i32]):
    s.put(t)
# -->
# [E0605] element_is_a_stream.py:6:11: error: a stream is no element
# 6 |     s.put(t)
#   |           ^
