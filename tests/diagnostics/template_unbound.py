# top: f
import allo
from allo import *

T = Template("T")
@kernel(T)
def f(x: T):
    pass
