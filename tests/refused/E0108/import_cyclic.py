from allo import *
from ring import first


@kernel
def f(x: i32) -> i32:
    return x + first
# -->
# [E0108] tests/imported/ring_two.py:1:18: error: the import is cyclic: the input imports ring imports ring_two imports ring
# 1 | from ring import first
#   |                  ^^^^^
