import allo
from allo import *

@kernel
def g(a: "i32[4]"):
    a[0] = 1

@kernel
def f(x: "i32[5]", y: i32):
    g(x)
    g(y)
# -->
# [E0503] call_type_mismatch.py:10:7: error: parameter 'a' needs i32[4], but this is i32[5]
# 10 |     g(x)
#    |       ^
# [E0503] call_type_mismatch.py:11:7: error: parameter 'a' needs i32[4], but this is a value of type i32
# 11 |     g(y)
#    |       ^
