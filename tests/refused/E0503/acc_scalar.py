import allo
from allo import *


@kernel
def f(a: "i32[4]", c: i32):
    allo.arith.add(a, a, acc=c)
# -->
# [E0503] acc_scalar.py:7:30: error: acc= takes an array, not a value of type i32
# 7 |     allo.arith.add(a, a, acc=c)
#   |                              ^
