from allo import *


@operator_ip(latency=2, module="half_core", source="/nowhere/half_core.sv")
def half(x: i32) -> i32:
    return x >> 1


@kernel
def k(x: i32) -> i32:
    return half(x)
# -->
# [E0205] operator_source.py:4:1: error: there is no file '/nowhere/half_core.sv'
# 4 | @operator_ip(latency=2, module="half_core", source="/nowhere/half_core.sv")
#   | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
