import allo
from allo import *


from allo.ir.types import int32, Fixed, float31
@kernel
def f(a: Fixed(8, 4), b: float31) -> int32:
    return a
