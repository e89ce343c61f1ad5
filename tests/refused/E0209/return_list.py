from allo import *


@kernel
def f(x: i32) -> "i32[2]":
    return [1, 2]
# -->
# [E0209] return_list.py:6:12: error: the kernel returns i32[2], but this is a list
# 6 |     return [1, 2]
#   |            ^^^^^^
