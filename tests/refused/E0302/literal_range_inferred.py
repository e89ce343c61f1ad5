import allo
from allo import *

@kernel
def f(x: i32) -> i32:
    y = 5000000000
    return x
# -->
# [E0302] literal_range_inferred.py:6:9: error: the constant does not fit in i32, the type of an int without annotation
# 6 |     y = 5000000000
#   |         ^^^^^^^^^^
# help: declare the variable with a type: `x: i64 = ...`
