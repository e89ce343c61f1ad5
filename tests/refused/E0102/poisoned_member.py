from allo import kernel, i32, nosuch
@kernel
def f(x: i32) -> i32:
    return nosuch(x)
# -->
# [E0102] poisoned_member.py:4:12: error: 'nosuch' has no value at compile time: module 'allo' has no name 'nosuch'
# 4 |     return nosuch(x)
#   |            ^^^^^^
# poisoned_member.py:1:31: note: 'nosuch' is bound here
# 1 | from allo import kernel, i32, nosuch
#   |                               ^^^^^^
