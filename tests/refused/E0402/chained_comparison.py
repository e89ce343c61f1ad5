from allo import *


@kernel
def f(x: i32) -> i32:
    return 0 < x < 4
# -->
# [E0402] chained_comparison.py:6:12: error: multi-way comparisons are not supported
# 6 |     return 0 < x < 4
#   |            ^^^^^^^^^
# help: join two comparisons with 'and'
