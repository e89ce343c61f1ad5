import allo
from allo import *


@kernel
def f(a: "i32[2, 3]", b: "i32[4, 2]", c: "i32[2, 2]"):
    allo.linalg.matmul(a, b, acc=c)
# -->
# [E0304] matmul_shapes.py:7:5: error: 'matmul' sums over 3 elements on the left, but 4 on the right
# 7 |     allo.linalg.matmul(a, b, acc=c)
#   |     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
