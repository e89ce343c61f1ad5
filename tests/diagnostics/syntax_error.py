@kernel
def f(x: i32:
    pass
