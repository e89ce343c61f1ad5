"""The sum 0 + 1 + ... + (n - 1) by a while loop.

The data decide how often the loop runs, so its latency is not known beforehand; the two
variables are carried from one iteration to the next.
"""

from allo import i32, kernel


@kernel
def count(n: i32, out: "i32[1]"):
    i: i32 = 0
    acc: i32 = 0
    while i < n:
        acc += i
        i += 1
    out[0] = acc
