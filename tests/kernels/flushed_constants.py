"""Products and quotients of constants that are no normal numbers, where those are zero."""
from allo import *


@kernel(options=KernelOptions(subnormals="ftz"))
def top(y: "f32[6]", x: f32):
    tiny: f32 = 2e-38
    y[0] = tiny * 0.1
    y[1] = -tiny * 0.1
    y[2] = tiny / 16.0
    y[3] = (tiny * 0.5) * 1e30
    y[4] = tiny * 2.0
    y[5] = x * (tiny * 0.25)
