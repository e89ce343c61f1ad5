from allo import kernel, f32

@kernel
def f(x: f32) -> f32:
    return exp(x)
# -->
# [E0101] operator_not_imported.py:5:12: error: Name 'exp' is not defined
# 5 |     return exp(x)
#   |            ^^^
# help: import it: `from allo.math import exp`
