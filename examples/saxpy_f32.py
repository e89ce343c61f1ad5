"""out = a * x + y on 16 single-precision numbers.

The loop's iterations do not depend on each other, so one starts every clock cycle; the multiplier
and the adder are pipelines of several stages.
"""

from allo import f32, kernel


@kernel
def saxpy(a: f32, x: "f32[16]", y: "f32[16]", out: "f32[16]"):
    for i in range(16):
        out[i] = a * x[i] + y[i]
