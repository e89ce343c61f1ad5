from allo import *


@operator_ip(latency=2, ii=0, module="half_core")
def half(x: i32) -> i32:
    return x >> 1


@kernel
def k(x: i32) -> i32:
    return half(x)
# -->
# [E0205] operator_interval.py:4:25: error: ii= is a number of cycles from 1 to 1024
# 4 | @operator_ip(latency=2, ii=0, module="half_core")
#   |                         ^^^^
