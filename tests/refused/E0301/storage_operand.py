from allo import bf16, f8e4m3, i32, kernel


@kernel
def storage_operand(x: f8e4m3, y: bf16, z: "i32[4]") -> i32:
    a = x + y
    b = x & 1
    c = x << 2
    return z[x]
# -->
# [E0301] storage_operand.py:6:9: error: No hls type promotion rule for operator 'add' with operand types f8e4m3, bf16
# 6 |     a = x + y
#   |         ^^^^^
# help: cast one operand to the type of the other, or both to a wider one
# [E0301] storage_operand.py:7:9: error: No hls type promotion rule for operator 'bitwise_and' with operand types f8e4m3, f16
# 7 |     b = x & 1
#   |         ^^^^^
# [E0301] storage_operand.py:8:9: error: No hls type promotion rule for operator 'lshift' with operand types f8e4m3, f16
# 8 |     c = x << 2
#   |         ^^^^^^
# [E0306] storage_operand.py:9:14: error: an index must be an integer, not a float
# 9 |     return z[x]
#   |              ^
