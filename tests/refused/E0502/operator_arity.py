import allo
from allo import *

@kernel
def f(x: i32) -> i32:
    return allo.arith.add(x)
# -->
# [E0502] operator_arity.py:6:12: error: 'add' takes 2 arguments, but 1 given
# 6 |     return allo.arith.add(x)
#   |            ^^^^^^^^^^^^^^^^^
