import scipy as sp
import allo
from allo import *

@kernel
def f(x: i32) -> i32:
    return x + sp.pi
# -->
# [E0102] poisoned_import.py:7:16: error: 'sp' has no value at compile time: module 'scipy' is not available at compile time
# 7 |     return x + sp.pi
#   |                ^^
# poisoned_import.py:1:8: note: 'sp' is bound here
# 1 | import scipy as sp
#   |        ^^^^^^^^^^^
