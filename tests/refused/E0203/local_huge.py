from allo import *


@kernel
def k(x: "i8[65536, 65536]") -> i32:
    buffer: "i8[65536, 65536]" = x
    return buffer[0, 1]
# -->
# [E0203] local_huge.py:6:5: error: 'buffer' has 2^32 elements or more, and is no parameter
# 6 |     buffer: "i8[65536, 65536]" = x
#   |     ^^^^^^
