from allo import i32, kernel

N = len(().__class__.__bases__[0].__subclasses__())


@kernel
def f(x: i32) -> i32:
    return x + N
# -->
# [E0102] hostile_classes.py:8:16: error: 'N' has no value at compile time: a tuple has no attribute '__class__'
# 8 |     return x + N
#   |                ^
# hostile_classes.py:3:1: note: 'N' is bound here
# 3 | N = len(().__class__.__bases__[0].__subclasses__())
#   | ^
