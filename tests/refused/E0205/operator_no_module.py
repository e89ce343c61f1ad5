from allo import *


@operator_ip(latency=2)
def half(x: i32) -> i32:
    return x >> 1


@kernel
def k(x: i32) -> i32:
    return half(x)
# -->
# [E0205] operator_no_module.py:4:1: error: @operator_ip needs module=
# 4 | @operator_ip(latency=2)
#   | ^^^^^^^^^^^^^^^^^^^^^^^
