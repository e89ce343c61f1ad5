from allo import kernel, i32, nosuch
@kernel
def f(x: i32) -> i32:
    return nosuch(x)
