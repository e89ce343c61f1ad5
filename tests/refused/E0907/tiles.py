from allo import *
from allo.pto import *

P = KernelOptions(typing_style="pto", profile="a2a3")


@kernel(options=P)
def a(t: tile[u16, 1, 16], v: tile[f32, 16, 16], m: tile(f32, 16, 16, loc="mat")):
    tadd(t, t, t)
    tmov(m, v)
    sethf32mode(True)


@kernel(options=P)
def b():
    t: tile[f8e4m3, 1, 32]
# -->
# [E0907] tiles.py:9:5: error: profile restriction: tadd of u16 needs a5 or cpu, not a2a3
# 9 |     tadd(t, t, t)
#   |     ^^^^^^^^^^^^^
# [E0907] tiles.py:10:5: error: profile restriction: tmov from vec to mat needs a5 or cpu, not a2a3
# 10 |     tmov(m, v)
#    |     ^^^^^^^^^^
# [E0907] tiles.py:11:5: error: profile restriction: sethf32mode needs a5, not a2a3
# 11 |     sethf32mode(True)
#    |     ^^^^^^^^^^^^^^^^^
# [E0907] tiles.py:16:8: error: profile restriction: f8e4m3 needs a5 or cpu, not a2a3
# 16 |     t: tile[f8e4m3, 1, 32]
#    |        ^^^^^^^^^^^^^^^^^^^
