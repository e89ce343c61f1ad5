"""How often each of 256 values occurs among 1024 samples.

When two samples in a row are equal, the second increment has to see the first: a read after a
write to the same address, which only the data decide. The loop runs as fast as that allows.
"""

from allo import i32, kernel, u8


@kernel
def histogram(samples: "u8[1024]", bins: "i32[256]"):
    for b in range(256):
        bins[b] = 0
    for i in range(1024):
        bins[samples[i]] += 1
