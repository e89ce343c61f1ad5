"""Loops that run no iteration leave what they would store."""

from allo import i32, index, kernel


@kernel
def top(x: "i32[4]", n: index, c: "i32[4]"):
    for i in range(2, 2):
        c[1] = x[0]
    for i in range(n):
        c[2] = x[1] + c[2]
    for i in range(3, 1):
        c[3] = x[2]
