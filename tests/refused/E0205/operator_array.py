from allo import *


@operator_ip(latency=2, module="half_core")
def half(x: "i32[4]") -> i32:
    return x[0] >> 1


@kernel
def k(x: "i32[4]") -> i32:
    return half(x)
# -->
# [E0205] operator_array.py:5:5: error: 'half' is no operator
# 5 | def half(x: "i32[4]") -> i32:
#   |     ^^^^
# help: an operator has one to three scalar parameters, a scalar result and no arrays
