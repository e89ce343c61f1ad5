# Vectors and masks that loops and branches carry.
from allo import *
from allo.pto import *

A5 = KernelOptions(typing_style="pto", profile="a5", lanes=4)


@kernel(options=A5)
def top(n: i32, x: "i32[256]", y: "i32[128]"):
    a = vlds(x, 0)
    b = vci(n)
    m = plt(64, n)
    for i in range(4):
        old = a
        if x[i] > n:
            a = vadd(a, vlds(x, i * 64), mask=m, merge=b)
            m = pnot(m)
        else:
            a, b = b, old
        a = vmax(a, old)
    vsts(a, y, 0)
    vsts(b, y, 64, m)
