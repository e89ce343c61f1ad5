from allo import *


@kernel
def f(s: Stream[i32[16, 16]]):
    s.get()
# -->
# [E0605] blocks.py:5:17: error: the elements of a stream have 4096 bits at most
# 5 | def f(s: Stream[i32[16, 16]]):
#   |                 ^^^^^^^^^^^
