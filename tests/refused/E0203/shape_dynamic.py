import allo
from allo import *

@kernel
def f(x: "i32[...]"):
    pass
# -->
# [E0203] shape_dynamic.py:5:15: error: dynamic '...' shapes are not supported
# 5 | def f(x: "i32[...]"):
#   |               ^^^
