"""The dot product of two integer vectors.

The running sum is carried from iteration to iteration. An integer addition takes less than a
clock cycle, so that a product is still added every cycle.
"""

from allo import i32, kernel


@kernel
def dot(x: "i32[64]", y: "i32[64]") -> i32:
    acc: i32 = 0
    for i in range(64):
        acc += x[i] * y[i]
    return acc
