import allo
from allo import *

@kernel
def f(x: i32) -> i32:
    a = b = x
    return x
# -->
# [E0406] chained_assignment.py:6:5: error: chained assignment is not supported
# 6 |     a = b = x
#   |     ^^^^^^^^^
# help: write one assignment for each name
