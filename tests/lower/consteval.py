import math
from allo import i32, f32, kernel, consteval, constexpr

N = 8
SQUARES = [i * i for i in range(N)]
TAPS = []
for k in range(4):
    TAPS.append(math.cos(2 * math.pi * k / 4))


def fibonacci(n):
    a, b = 0, 1
    while n > 0:
        a, b = b, a + b
        n -= 1
    return a


FIB = [fibonacci(i) for i in range(N) if i % 2 == 0]


@consteval
def bits(n, extra=0):
    count = 0
    while n:
        n >>= 1
        count += 1
    return count + extra


@kernel
def tables(i: i32) -> i32:
    squares: "i32[N]" = SQUARES
    fib: "i32[4]" = FIB
    width: constexpr = bits(N, extra=1)
    return squares[i] + fib[i] + width


@kernel
def taps(i: i32) -> f32:
    t: "f32[4]" = TAPS
    return t[i]
