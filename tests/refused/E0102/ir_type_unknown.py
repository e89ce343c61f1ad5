import allo
from allo import *


from allo.ir.types import int32, Fixed, float31
@kernel
def f(a: Fixed(8, 4), b: float31) -> int32:
    return a
# -->
# [E0102] ir_type_unknown.py:7:10: error: 'Fixed' has no value at compile time: module 'allo.ir.types' has no name 'Fixed'
# 7 | def f(a: Fixed(8, 4), b: float31) -> int32:
#   |          ^^^^^
# ir_type_unknown.py:5:34: note: 'Fixed' is bound here
# 5 | from allo.ir.types import int32, Fixed, float31
#   |                                  ^^^^^
# [E0102] ir_type_unknown.py:7:26: error: 'float31' has no value at compile time: module 'allo.ir.types' has no name 'float31'; did you mean 'float32'?
# 7 | def f(a: Fixed(8, 4), b: float31) -> int32:
#   |                          ^^^^^^^
# ir_type_unknown.py:5:41: note: 'float31' is bound here
# 5 | from allo.ir.types import int32, Fixed, float31
#   |                                         ^^^^^^^
