from allo import *
from allo.pto import *

P = KernelOptions(typing_style="pto", profile="a5")


@kernel(options=P)
def a(t: tile[i64, 1, 4], m: tile(f32, 16, 16, loc="mat"), g: "f32[16, 16]"):
    tadd(t, t, t)
    tstore(g, m)
# -->
# [E0907] on_a5.py:9:5: error: profile restriction: tadd of i64 needs cpu, not a5
# 9 |     tadd(t, t, t)
#   |     ^^^^^^^^^^^^^
# [E0907] on_a5.py:10:5: error: profile restriction: tstore from mat needs a2a3 or cpu, not a5
# 10 |     tstore(g, m)
#    |     ^^^^^^^^^^^^
