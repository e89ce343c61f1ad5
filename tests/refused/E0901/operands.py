from allo import *

P = KernelOptions(typing_style="pto", profile="a2a3")


@kernel(options=P)
def a(x: i32, y: f32) -> f32:
    return x + y


@kernel(options=P)
def b(x: u8) -> u8:
    return x + 300


@kernel(options=P)
def c(x: u8) -> u8:
    return x * 1.0


@kernel(options=P)
def d(x: u8) -> i8:
    return x


@kernel(options=P)
def e(x: f32) -> f32:
    return x - 1


@kernel(options=P)
def f(x: f16) -> f16:
    return x * 1e9


@kernel(options=P)
def g(x: f8e4m3, y: f8e4m3) -> u1:
    return x < y


@kernel(options=P)
def h(x: u8) -> u8:
    y: u8 = True
    z: "u8[2]" = [1, 0.5]
    return 1 if x else 2


@kernel(options=P)
def i(x: "i8[4]", y: "i16[4]"):
    y[0] = x[0]
    y = x
# -->
# [E0901] operands.py:8:12: error: type mismatch: i32, f32 in '+'
# 8 |     return x + y
#   |            ^^^^^
# help: nothing is converted by itself here: write `tcvt(x, T)`
# [E0901] operands.py:13:16: error: type mismatch: 300 beside u8 in '+'
# 13 |     return x + 300
#    |                ^^^
# [E0901] operands.py:18:16: error: type mismatch: 1.0 beside u8 in '*'
# 18 |     return x * 1.0
#    |                ^^^
# [E0901] operands.py:23:12: error: type mismatch: u8 where i8 is needed
# 23 |     return x
#    |            ^
# help: nothing is converted by itself here: write `tcvt(x, T)`
# [E0901] operands.py:28:16: error: type mismatch: 1 beside f32 in '-'
# 28 |     return x - 1
#    |                ^
# [E0901] operands.py:33:16: error: type mismatch: 1000000000.0 beside f16 in '*'
# 33 |     return x * 1e9
#    |                ^^^
# [E0901] operands.py:38:12: error: type mismatch: f8e4m3, f8e4m3 in '<'
# 38 |     return x < y
#    |            ^^^^^
# help: nothing is converted by itself here: write `tcvt(x, T)`
# [E0901] operands.py:43:13: error: type mismatch: True where u8 is needed
# 43 |     y: u8 = True
#    |             ^^^^
# [E0901] operands.py:44:18: error: type mismatch: 0.5 where u8 is needed
# 44 |     z: "u8[2]" = [1, 0.5]
#    |                  ^^^^^^^^
# [E0901] operands.py:45:12: error: type mismatch: i32 where u8 is needed
# 45 |     return 1 if x else 2
#    |            ^^^^^^^^^^^^^
# help: nothing is converted by itself here: write `tcvt(x, T)`
# [E0901] operands.py:50:12: error: type mismatch: i8 where i16 is needed
# 50 |     y[0] = x[0]
#    |            ^^^^
# help: nothing is converted by itself here: write `tcvt(x, T)`
# [E0901] operands.py:51:9: error: type mismatch: i8, i16 in '='
# 51 |     y = x
#    |         ^
# help: nothing is converted by itself here: write `tcvt(x, T)`
