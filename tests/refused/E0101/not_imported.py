from allo import kernel, i32

@kernel
def f(x: f32) -> i32:
    return 1
# -->
# [E0101] not_imported.py:4:10: error: Name 'f32' is not defined
# 4 | def f(x: f32) -> i32:
#   |          ^^^
# help: import it: `from allo import f32`
