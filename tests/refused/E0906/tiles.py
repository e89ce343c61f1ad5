from allo import *
from allo.pto import *

P = KernelOptions(typing_style="pto", profile="a5")


@kernel(options=P)
def a(t: tile(f32, 8, 8, layout="dn")):
    tadd(t, t, t)


@kernel(options=P)
def b():
    t: tile(f32, 16, 16, loc="left", layout="zz")


@kernel(options=P)
def c():
    t: tile(f32, 16, 16, layout="nz")
# -->
# [E0906] tiles.py:9:5: error: layout mismatch: tadd does not take dn on a5
# 9 |     tadd(t, t, t)
#   |     ^^^^^^^^^^^^^
# [E0906] tiles.py:14:8: error: layout mismatch: a left tile is nz on a5, not zz
# 14 |     t: tile(f32, 16, 16, loc="left", layout="zz")
#    |        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# [E0906] tiles.py:19:8: error: layout mismatch: a vec tile is nd or dn on a5, not nz
# 19 |     t: tile(f32, 16, 16, layout="nz")
#    |        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
