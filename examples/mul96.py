"""Products of 96-bit integers, kept in full.

apint declares an integer of any width. A product of two 96-bit numbers has 192 bits; it is made
of many 18 x 18 DSP blocks.
"""

from allo import apint, kernel

i96 = apint(96, signed=True)
i192 = apint(192, signed=True)


@kernel
def mul96(x: "i96[8]", y: "i96[8]", out: "i192[8]"):
    for i in range(8):
        out[i] = x[i] * y[i]
