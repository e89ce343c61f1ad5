from allo import *


@kernel(options={"typing_style": "cpp"})
def f(x: i32):
    pass
# -->
# [E0205] decorator_options_dict.py:4:9: error: options= takes a KernelOptions(...)
# 4 | @kernel(options={"typing_style": "cpp"})
#   |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
