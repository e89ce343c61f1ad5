from allo import *
from helpers import scale


@kernel
def f(x: i32) -> i32:
    return scale(x)
# -->
# [E0101] tests/imported/helpers.py:8:16: error: Name 'factor' is not defined
# 8 |     return x * factor
#   |                ^^^^^^
# import_error_in_kernel.py:7:12: note: in kernel 'scale' called from 'f'
# 7 |     return scale(x)
#   |            ^^^^^^^^
