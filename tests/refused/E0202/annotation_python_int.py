import allo
from allo import *

@kernel
def f(x: int) -> i32:
    return 1
# -->
# [E0202] annotation_python_int.py:5:10: error: Python's int and float are not hardware types
# 5 | def f(x: int) -> i32:
#   |          ^^^
# help: use a type of known width, such as i32 or f32
