# The module for one result of a division gave, for a numerator that there never is, another value than the one for all.
from allo import *


@kernel
def top(s: u1) -> u1:
    v: i8 = 0 - 3
    return v // s
