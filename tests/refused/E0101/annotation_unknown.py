import allo
from allo import *

@kernel
def f(x: i33x) -> i32:
    return 1
# -->
# [E0101] annotation_unknown.py:5:10: error: Name 'i33x' is not defined
# 5 | def f(x: i33x) -> i32:
#   |          ^^^^
