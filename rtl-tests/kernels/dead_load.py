# A load whose value is not used: nothing may read its address.
from allo import *

u1x = apint(1)


@kernel
def top(s: i32, a: "u1x[8]", b: "i32[1]"):
    b[0] = a[s & 7] >= 0
