from allo import bf16, f8e4m3, i32, kernel


@kernel
def storage_operand(x: f8e4m3, y: bf16, z: "i32[4]") -> i32:
    a = x + y
    b = x & 1
    c = x << 2
    return z[x]
