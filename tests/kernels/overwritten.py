"""Variables read in a block after which they change, and blocks one after the other."""

from allo import i32, kernel


@kernel
def top(x: "i32[8]", c: "i32[8]") -> i32:
    a: i32 = x[0]
    b: i32 = x[1]
    n: i32 = 0
    while n < 5:
        t: i32 = a * b + x[n]
        a = b - t * 3
        b = t * t * t + a
        c[n] = a
        for i in range(3):
            c[n] = c[n] + b * i
        n += 1
    return a * b
