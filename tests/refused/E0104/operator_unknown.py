import allo
from allo import *


@kernel
def f(a: "i32[4]", b: "i32[4]"):
    allo.arith.ad(a, a, acc=b)
# -->
# [E0104] operator_unknown.py:7:5: error: a module has no attribute 'ad'
# 7 |     allo.arith.ad(a, a, acc=b)
#   |     ^^^^^^^^^^^^^
