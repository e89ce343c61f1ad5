from allo import *


@kernel
def f(x: i32) -> i32:
    b: "i32[4]" = 0

    @kernel
    def g(v: i32) -> i32:
        return b[v]

    return g(x)
# -->
# [E0103] capture_buffer.py:10:16: error: a nested kernel cannot capture the runtime value 'b'
# 10 |         return b[v]
#    |                ^
# capture_buffer.py:12:12: note: in kernel 'g' called from 'f'
# 12 |     return g(x)
#    |            ^^^^
# help: pass it as an argument
