"""The logistic function of 32 half-precision numbers: 1 / (1 + exp(-x)).

The exponential is a pipeline like the adder and the divider, and takes a number every clock cycle.
"""

import allo
from allo import kernel


@kernel
def sigmoid(x: "f16[32]", out: "f16[32]"):
    for i in range(32):
        out[i] = 1.0 / (1.0 + allo.math.exp(-x[i]))
