import allo
from allo import *

@kernel
def f(x: i32) -> i32:
    acc += x
    return x
# -->
# [E0101] augmented_undefined.py:6:5: error: Name 'acc' is not defined
# 6 |     acc += x
#   |     ^^^
