from allo import f4e2m1, f8e4m3, kernel


@kernel
def storage_constant(x: f8e4m3, y: f4e2m1) -> f8e4m3:
    a: f8e4m3 = x * 0.5
    b: f8e4m3 = x * 0.1
    c: f4e2m1 = y + 100
    return x + y
