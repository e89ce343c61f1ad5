import allo
from allo import *


@kernel
def f(a: "i32[2, 3]", b: "i32[3]"):
    allo.arith.add(a, a, acc=b)
# -->
# [E0304] acc_shape.py:7:5: error: the result has shape [2, 3], but acc is i32[3]
# 7 |     allo.arith.add(a, a, acc=b)
#   |     ^^^^^^^^^^^^^^^^^^^^^^^^^^^
