from allo import *


@kernel
def top(x: "u8[16]", mode: u2) -> u32:
    last: Stateful[u8] = 1
    turns: Stateful[u32] = 5
    table: Stateful[u8[5]] = [1, 2, 3, 4, 5]
    flags: Stateful[u8] = 0b10000000
    if mode == 0:
        for i in range(16):
            if x[i] > last:
                last = x[i]
                turns += 1
                flags[i & 7] = 1
    elif mode == 1:
        while turns > 3:
            turns -= 2
        table[turns] = last
    else:
        last = table[x[0] & 3]
    return (turns << 8) + last + flags
