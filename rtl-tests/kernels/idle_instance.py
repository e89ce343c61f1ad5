# The second product in the block has its operands a cycle later once the sums are shared: one instance is left without calls.
from allo import *


@kernel
def top(a: f32, b: f32, c: f32, x: "f32[100]", y: "f32[100]") -> f32:
    p: f32 = a * b
    q: f32 = p * c
    r: f32 = (a + b) * c
    for i in range(100):
        y[i] = (x[i] + b) * a
    for i in range(100):
        y[i] = y[i] + x[i] * b
    return q - r
