from allo import *
P = KernelOptions(typing_style="pto", profile="a5")


@kernel(options=P)
def a(x: f8e4m3) -> f8e4m3:
    return -x


@kernel(options=P)
def b(x: f8e5m2) -> f8e5m2:
    return abs(x)


@kernel(options=P)
def c(x: hif8) -> hif8:
    return ~x


@kernel(options=P)
def d(x: f4e2m1) -> f4e2m1:
    return x << 1


@kernel(options=P)
def e(x: f8e4m3, n: i32) -> i32:
    return n >> x


@kernel(options=P)
def f(x: f8e4m3) -> f8e4m3:
    return +x
# -->
# [E0901] storage_formats.py:7:12: error: type mismatch: f8e4m3 in '-'
# 7 |     return -x
#   |            ^^
# help: nothing is converted by itself here: write `tcvt(x, T)`
# [E0901] storage_formats.py:12:12: error: type mismatch: f8e5m2 in 'abs'
# 12 |     return abs(x)
#    |            ^^^^^^
# help: nothing is converted by itself here: write `tcvt(x, T)`
# [E0901] storage_formats.py:17:12: error: type mismatch: hif8 in '~'
# 17 |     return ~x
#    |            ^^
# help: nothing is converted by itself here: write `tcvt(x, T)`
# [E0901] storage_formats.py:22:12: error: type mismatch: f4e2m1, u1 in '<<'
# 22 |     return x << 1
#    |            ^^^^^^
# help: nothing is converted by itself here: write `tcvt(x, T)`
# [E0901] storage_formats.py:27:12: error: type mismatch: i32, f8e4m3 in '>>'
# 27 |     return n >> x
#    |            ^^^^^^
# help: nothing is converted by itself here: write `tcvt(x, T)`
# [E0901] storage_formats.py:32:12: error: type mismatch: f8e4m3 in '+'
# 32 |     return +x
#    |            ^^
# help: nothing is converted by itself here: write `tcvt(x, T)`
