import allo
from allo import *

N = 4
@kernel
def f(x: N) -> i32:
    return 1
# -->
# [E0202] annotation_value.py:6:10: error: an int is not a type
# 6 | def f(x: N) -> i32:
#   |          ^
