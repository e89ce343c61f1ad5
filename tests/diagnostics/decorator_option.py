import allo
from allo import *

@kernel(options=KernelOptions(typing_stile="cpp"))
def f(x: i32):
    pass
