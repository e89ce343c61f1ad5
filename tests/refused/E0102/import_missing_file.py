from allo import *
from layers import dense


@kernel
def f(x: i32) -> i32:
    return dense(x)
# -->
# [E0102] import_missing_file.py:7:12: error: 'dense' has no value at compile time: module 'layers' is not available at compile time
# 7 |     return dense(x)
#   |            ^^^^^
# import_missing_file.py:2:20: note: 'dense' is bound here
# 2 | from layers import dense
#   |                    ^^^^^
