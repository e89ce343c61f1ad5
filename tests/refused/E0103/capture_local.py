from allo import *


@kernel
def f(x: i32) -> i32:
    y: i32 = x

    @kernel
    def g(v: i32) -> i32:
        return v + y

    return g(x)
# -->
# [E0103] capture_local.py:10:20: error: a nested kernel cannot capture the runtime value 'y'
# 10 |         return v + y
#    |                    ^
# capture_local.py:12:12: note: in kernel 'g' called from 'f'
# 12 |     return g(x)
#    |            ^^^^
# help: pass it as an argument
