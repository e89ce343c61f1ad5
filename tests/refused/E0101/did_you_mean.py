import allo
from allo import *

@kernel
def f(alpha: i32) -> i32:
    return alpa
# -->
# [E0101] did_you_mean.py:6:12: error: Name 'alpa' is not defined
# 6 |     return alpa
#   |            ^^^^
# help: did you mean 'alpha'?
