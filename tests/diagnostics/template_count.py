# top: f[i32, 4]
import allo
from allo import *

T = Template("T")
@kernel(T)
def f(x: T):
    pass
