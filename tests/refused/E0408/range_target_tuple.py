from allo import *


@kernel
def f(x: "i32[4]"):
    for i, j in range(4):
        x[i] = 0
# -->
# [E0408] range_target_tuple.py:6:9: error: a range loop has one plain name as target
# 6 |     for i, j in range(4):
#   |         ^^^^
# help: allo.grid gives several loop variables
