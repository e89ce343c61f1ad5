# Bits of integers, read and replaced.
import allo
from allo import *

u24 = apint(24)
i100 = apint(100, signed=True)


@kernel
def fields(w: u32, v: u8) -> u32:
    w[8:16] = v
    w[28:32] = 5
    w[0] = v[7]
    return w


#: fields {"w": 0, "v": 170} -> {"return": 1342220801}
#: fields {"w": 4294967295, "v": 1} -> {"return": 1610547710}


@kernel
def moving(w: i16, lo: i32, v: u4) -> i16:
    w[lo : lo + 4] = v
    return w


#: moving {"w": 0, "lo": 3, "v": 15} -> {"return": 120}
#: moving {"w": -1, "lo": 3, "v": 0} -> {"return": -121}
#: moving {"w": 0, "lo": 14, "v": 13} -> {"return": 16384}
#: moving {"w": 0, "lo": 12, "v": 9} -> {"return": -28672}
#: moving {"w": 0, "lo": -2, "v": 13} -> {"return": 3}
#: moving {"w": 7, "lo": -4, "v": 15} -> {"return": 7}
#: moving {"w": 7, "lo": 16, "v": 15} -> {"return": 7}
#: moving {"w": 7, "lo": -2147483648, "v": 15} -> {"return": 7}


@kernel
def elements(words: "u24[2]", i: index, v: i32):
    words[i][8:20] = v
    words[0][0:2] = 7
    words[1][4] = v


#: elements {"words": [0, 0], "i": 0, "v": -1} -> {"words": [1048323, 16]}
#: elements {"words": [16777215, 16777215], "i": 1, "v": 4096} -> {"words": [16777215, 15728879]}


@kernel
def augmented(w: u16) -> u16:
    w[4:8] += 3
    w[0:4] ^= 5
    return w


#: augmented {"w": 65535} -> {"return": 65322}
#: augmented {"w": 4096} -> {"return": 4149}


@kernel
def wide(w: i100, v: u64) -> (i100, u64):
    w[36:100] = v
    return w, w[30:94]


#: wide {"w": 5, "v": 3} -> {"return": [206158430213, 192]}
#: wide {"w": 0, "v": 9223372036854775808} -> {"return": [-633825300114114700748351602688, 0]}


@kernel
def packed(bytes: "u8[4]") -> u32:
    w: u32 = 0
    for i in range(4):
        w[8 * i : 8 * i + 8] = bytes[i]
    return w


#: packed {"bytes": [1, 2, 3, 255]} -> {"return": 4278387201}
