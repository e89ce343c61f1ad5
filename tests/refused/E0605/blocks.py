from allo import *


@kernel
def f(s: Stream[i32[4, 4]]):
    s.get()
# -->
# [E0605] blocks.py:5:17: error: streams of blocks have no hardware yet: its elements are scalars
# 5 | def f(s: Stream[i32[4, 4]]):
#   |                 ^^^^^^^^^
