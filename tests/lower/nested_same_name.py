# top: f
from allo import i32, kernel


@kernel
def f(x: i32) -> i32:
    @kernel
    def f(v: i32) -> i32:
        return v + 1

    return f(x)
