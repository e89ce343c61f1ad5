from allo import *


@kernel
def f(x: i32) -> i32:
    b: "i32[4]"
    b[0]: i32 = x
    return x
# -->
# [E0406] annotated_element.py:7:5: error: only a plain name can be declared with an annotation
# 7 |     b[0]: i32 = x
#   |     ^^^^
