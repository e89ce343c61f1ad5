"""An element that a loop stores under conditions, in both branches and in one."""

from allo import i32, kernel


@kernel
def top(x: "i32[8]", c: "i32[3]"):
    for i in range(8):
        if x[i] > 3:
            c[0] = x[i]
    for i in range(8):
        if x[i] > 3:
            c[1] = c[1] + 1
        else:
            c[2] = c[2] + x[i]
    for i in range(8):
        if x[i] < 2:
            c[0] = c[0] + 2
        else:
            c[0] = c[0] - x[i]
