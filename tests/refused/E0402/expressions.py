import allo
from allo import *

@kernel
def f(x: i32) -> i32:
    a = lambda: x
    b = [i for i in range(4)]
    c = {1: 2}
    d = (e := 3)
    g = x < x < x
    h = f"{x}"
    j = x @ x
    return x
# -->
# [E0402] expressions.py:6:9: error: a lambda is not supported in a kernel
# 6 |     a = lambda: x
#   |         ^^^^^^^^^
# [E0305] expressions.py:7:9: error: a variable cannot hold a list
# 7 |     b = [i for i in range(4)]
#   |         ^^^^^^^^^^^^^^^^^^^^^
# help: declare it as a compile-time name: `b: constexpr = ...`
# [E0305] expressions.py:8:9: error: a variable cannot hold a dict
# 8 |     c = {1: 2}
#   |         ^^^^^^
# help: declare it as a compile-time name: `c: constexpr = ...`
# [E0402] expressions.py:9:10: error: an assignment expression (':=') is not supported in a kernel
# 9 |     d = (e := 3)
#   |          ^^^^^^
# [E0402] expressions.py:10:9: error: multi-way comparisons are not supported
# 10 |     g = x < x < x
#    |         ^^^^^^^^^
# help: join two comparisons with 'and'
# [E0107] expressions.py:11:12: error: 'x' is not known at compile time
# 11 |     h = f"{x}"
#    |            ^
# [E0402] expressions.py:12:9: error: the operator '@' is not supported
# 12 |     j = x @ x
#    |         ^^^^^
# help: use allo.linalg.matmul
