from allo import *


@kernel
def f(x: i32) -> u8:
    return 256
