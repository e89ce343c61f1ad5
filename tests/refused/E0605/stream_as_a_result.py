from allo import *


@kernel
def f(x: i32) -> Stream[i32]:
    return x
# -->
# [E0605] stream_as_a_result.py:5:18: error: a kernel has no stream as its result: streams are parameters
# 5 | def f(x: i32) -> Stream[i32]:
#   |                  ^^^^^^^^^^^
