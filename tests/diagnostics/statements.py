import allo
from allo import *

@kernel
def f(x: i32) -> i32:
    for i in range(4):
        break
    while x > 0:
        continue
    try:
        pass
    except E:
        pass
    with x:
        pass
    del x
    import os
    global g
    assert x
    raise x
    class C:
        pass
    return x
