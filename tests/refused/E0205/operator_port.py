from allo import *


@operator_ip(latency=2, module="half_core")
def half(clk: i32) -> i32:
    return clk >> 1


@kernel
def k(x: i32) -> i32:
    return half(x)
# -->
# [E0205] operator_port.py:5:5: error: a module of an operator has a port 'clk' already
# 5 | def half(clk: i32) -> i32:
#   |     ^^^^
