from allo import *


@consteval(lasy=True)
def half(x: i32) -> i32:
    return x >> 1


@kernel
def k() -> i32:
    return half(8)
# -->
# [E0205] lazy_parameter.py:4:12: error: @consteval has no parameter 'lasy'
# 4 | @consteval(lasy=True)
#   |            ^^^^^^^^^
# help: did you mean 'lazy'?
