from allo import *

@kernel
def top(x: i32, k: u8) -> i32:
    a: Stateful[i32[5]] = [1, 2, 3, 4, 5]
    b: Stateful[u8[300]] = 7
    c: Stateful[i8[3]] = [-1, -2, -3]
    s: Stateful[i32] = 11
    r: i32 = 0
    for i in range(5):
        r += a[i] * c[i % 3] + b[i * 60]
    a[k % 5] = x
    b[k] = b[k] + 1
    c[k % 3] = c[k % 3] - 1
    s = s + r
    return s
