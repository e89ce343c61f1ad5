import allo
from allo import *


@kernel
def f(a: i20) -> i33:
    return a
