import allo
from allo import *


@kernel
def f(x: "i32[4]"):
    for i in allo.range(4, name=1):
        x[i] = 0
# -->
# [E0408] loop_name.py:7:28: error: name= takes a string
# 7 |     for i in allo.range(4, name=1):
#   |                            ^^^^^^
