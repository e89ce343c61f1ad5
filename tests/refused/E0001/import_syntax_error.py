from allo import *
from broken import g


@kernel
def f(x: i32) -> i32:
    return g(x)
# -->
# [E0001] tests/imported/broken.py:1:7: error: syntax error: expected a parameter or the end of the parameter list
# 1 | def f(:
#   |       ^
# import_syntax_error.py:2:20: note: imported here
# 2 | from broken import g
#   |                    ^
