import allo
from allo import *


@kernel
def f(a: i20) -> i33:
    return a
# -->
# [E0101] width_without_name.py:6:10: error: Name 'i20' is not defined
# 6 | def f(a: i20) -> i33:
#   |          ^^^
# help: define it: `i20 = apint(20, signed=True)`
