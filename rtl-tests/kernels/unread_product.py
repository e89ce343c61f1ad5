from allo import *


# A product of which the low bit is known, so that nothing of it is read.
@kernel
def top(a: "u1[1, 1]"):
    a[0, 0] *= 46
