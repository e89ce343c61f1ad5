from allo import kernel, i32

@kernel
def f(x: f32) -> i32:
    return 1
