import allo
from allo import *

@kernel
def f(x: i32) -> i32:
    @kernel
    def g(v: i32) -> i32:
        return v + x
    return g(x)
# -->
# [E0103] capture_runtime.py:8:20: error: a nested kernel cannot capture the runtime value 'x'
# 8 |         return v + x
#   |                    ^
# capture_runtime.py:9:12: note: in kernel 'g' called from 'f'
# 9 |     return g(x)
#   |            ^^^^
# help: pass it as an argument
