import allo
from allo import *

@kernel(options=KernelOptions(typing_style="c"))
def f(x: i32):
    pass
