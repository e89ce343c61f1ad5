from allo import *


@kernel
def top(x: "u4[20]", y: "i16[16]"):
    seen: Stateful[i16[16]]
    for i in range(20):
        seen[x[i]] += 1
    for i in range(16):
        y[i] = seen[i]
