from allo import i32, kernel

N = len(().__class__.__bases__[0].__subclasses__())


@kernel
def f(x: i32) -> i32:
    return x + N
