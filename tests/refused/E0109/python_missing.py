# python: /no/such/python
from allo import *


@kernel
def f(x: i32) -> i32:
    return x
# -->
# [E0109] python_missing.py:1:1: error: cannot start '/no/such/python': No such file or directory (os error 2)
# 1 | # python: /no/such/python
#   | ^
