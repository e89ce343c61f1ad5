from allo import *


@kernel
def top(a: Stream[i32], n: i32) -> i32:
    total: i32 = 0
    for i in range(n):
        total += a.get()
    return total
