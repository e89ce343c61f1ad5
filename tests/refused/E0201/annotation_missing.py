import allo
from allo import *

@kernel
def f(x, y: i32) -> i32:
    return y
# -->
# [E0201] annotation_missing.py:5:7: error: parameter 'x' has no type annotation
# 5 | def f(x, y: i32) -> i32:
#   |       ^
# help: write its type, such as `x: i32`
