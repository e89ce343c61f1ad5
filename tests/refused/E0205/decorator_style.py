import allo
from allo import *

@kernel(options=KernelOptions(typing_style="c"))
def f(x: i32):
    pass
# -->
# [E0205] decorator_style.py:4:17: error: there is no typing style 'c'
# 4 | @kernel(options=KernelOptions(typing_style="c"))
#   |                 ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# help: the styles are "hls", "cpp" and "pto"
