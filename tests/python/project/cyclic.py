from allo import i32, kernel
from ring import value


@kernel
def f(x: i32) -> i32:
    return x + value
