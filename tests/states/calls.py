from allo import *


@kernel
def numbered(by: i32) -> i32:
    n: Stateful[i32] = 0
    n += by
    return n


@kernel
def two(by: i32) -> i32:
    return numbered(by) + 3 * numbered(2 * by)


@kernel
def top(x: "i32[6]", by: i32) -> i32:
    k: i32 = two(by)
    for i in range(6):
        x[i] = numbered(k)
    return k - two(1)
