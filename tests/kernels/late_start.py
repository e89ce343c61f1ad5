"""An element that a loop which does not begin at 0 stores in its last but one iteration, and reads in its last."""

from allo import i32, kernel


@kernel
def top(x: "i32[16]", a: "i32[16]"):
    for i in range(3, 12):
        a[i] = a[10] * x[i] + 1
