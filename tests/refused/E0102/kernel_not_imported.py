# top: -
from allo import i32
@kernel
def k(x: i32) -> i32:
    return x
@kernel
def l(x: i32) -> i32:
    return x
# -->
# [E0102] kernel_not_imported.py:4:5: error: kernel 'k' is not defined: Name 'kernel' is not defined
# 4 | def k(x: i32) -> i32:
#   |     ^
# help: import its decorator: `from allo import kernel`
# [E0102] kernel_not_imported.py:7:5: error: kernel 'l' is not defined: Name 'kernel' is not defined
# 7 | def l(x: i32) -> i32:
#   |     ^
# help: import its decorator: `from allo import kernel`
