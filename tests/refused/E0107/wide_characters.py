from allo import *


@kernel
def wide(x: i32) -> i32:
    print("\u8868 表示", x); return x + größe_名 + 値
# -->
# [E0107] wide_characters.py:6:24: error: 'print' takes compile-time values only
# 6 |     print("\u8868 表示", x); return x + größe_名 + 値
#   |                          ^
# [E0101] wide_characters.py:6:39: error: Name 'größe_名' is not defined
# 6 |     print("\u8868 表示", x); return x + größe_名 + 値
#   |                                         ^^^^^^^^
