import allo
from allo import *

@kernel
def f(x: i32):
    while True:
        x += 1
# -->
# [E0410] while_true.py:6:11: error: the condition of this loop is always true
# 6 |     while True:
#   |           ^^^^
# help: write the condition for going on, such as `while x < n:`
