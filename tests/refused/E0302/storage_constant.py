from allo import f4e2m1, f8e4m3, kernel


@kernel
def storage_constant(x: f8e4m3, y: f4e2m1) -> f8e4m3:
    a: f8e4m3 = x * 0.5
    b: f8e4m3 = x * 0.1
    c: f4e2m1 = y + 100
    return x + y
# -->
# [E0302] storage_constant.py:7:21: error: the constant is not exactly a number of f8e4m3
# 7 |     b: f8e4m3 = x * 0.1
#   |                     ^^^
# help: cast the other operand first: `cast(x, f16)`
# [E0302] storage_constant.py:8:21: error: the constant is not exactly a number of f4e2m1
# 8 |     c: f4e2m1 = y + 100
#   |                     ^^^
# help: cast the other operand first: `cast(x, f16)`
