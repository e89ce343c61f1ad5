from allo import *


@operator_ip(latency=2, module="half_core", style="gated")
def half(x: i32) -> i32:
    return x >> 1


@kernel
def k(x: i32) -> i32:
    return half(x)
# -->
# [E0205] operator_style.py:4:45: error: style= is "free", "ce" or "elastic"
# 4 | @operator_ip(latency=2, module="half_core", style="gated")
#   |                                             ^^^^^^^^^^^^^
