from allo import *


D = {"a": 1}


@kernel
def f(x: i32) -> i32:
    return x + D["b"]
# -->
# [E0602] dictionary_key.py:9:16: error: the dict has no key 'b'
# 9 |     return x + D["b"]
#   |                ^^^^^^
