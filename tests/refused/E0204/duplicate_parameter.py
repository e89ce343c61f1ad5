import allo
from allo import *

@kernel
def f(x: i32, x: i32):
    pass
# -->
# [E0204] duplicate_parameter.py:5:15: error: duplicate parameter 'x'
# 5 | def f(x: i32, x: i32):
#   |               ^
# duplicate_parameter.py:5:7: note: the first one is here
# 5 | def f(x: i32, x: i32):
#   |       ^
