"""An element that is read in one iteration, and again in all of them, of an array that nobody writes: one read serves both, and shares
its port with none that is of another iteration."""

from allo import i32, kernel


@kernel
def top(a: "i32[16]", y: "i32[16]") -> i32:
    s: i32 = 0
    for i in range(16):
        if i == 0:
            s += a[3]
        if i == 1:
            s += a[5]
        y[i] = a[i] + a[3] * 3
    return s
