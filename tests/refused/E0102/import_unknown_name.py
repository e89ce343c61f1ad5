from allo import *
from helpers import M


@kernel
def f(x: i32) -> i32:
    return x + M
# -->
# [E0102] import_unknown_name.py:7:16: error: 'M' has no value at compile time: module 'helpers' has no name 'M'
# 7 |     return x + M
#   |                ^
# import_unknown_name.py:2:21: note: 'M' is bound here
# 2 | from helpers import M
#   |                     ^
