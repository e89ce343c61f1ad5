import allo
from allo import *


N = Template("N")
@kernel(N)
def p(x: i32) -> i32:
    return p[N + 1](x + 1)
@kernel
def f(x: i32) -> i32:
    return p[5](x)
# -->
# [E0213] template_endless.py:8:12: error: more than 256 kernel instances
# 8 |     return p[N + 1](x + 1)
#   |            ^^^^^^^^^^^^^^^
# template_endless.py:8:12: note: in kernel 'p' called from 'p'
# 8 |     return p[N + 1](x + 1)
#   |            ^^^^^^^^^^^^^^^
# template_endless.py:8:12: note: in kernel 'p' called from 'p'
# 8 |     return p[N + 1](x + 1)
#   |            ^^^^^^^^^^^^^^^
# template_endless.py:8:12: note: in kernel 'p' called from 'p'
# 8 |     return p[N + 1](x + 1)
#   |            ^^^^^^^^^^^^^^^
# template_endless.py:8:12: note: in kernel 'p' called from 'p'
# 8 |     return p[N + 1](x + 1)
#   |            ^^^^^^^^^^^^^^^
# note: ... 251 more calls ...
# template_endless.py:11:12: note: in kernel 'p' called from 'f'
# 11 |     return p[5](x)
#    |            ^^^^^^^
