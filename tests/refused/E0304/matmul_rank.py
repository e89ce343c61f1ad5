import allo
from allo import *


@kernel
def f(a: "i32[4]", b: "i32[4]", c: "i32[1]"):
    allo.linalg.matmul(a, b, acc=c)
# -->
# [E0304] matmul_rank.py:7:24: error: 'matmul' needs arrays of rank 2, not i32[4]
# 7 |     allo.linalg.matmul(a, b, acc=c)
#   |                        ^
