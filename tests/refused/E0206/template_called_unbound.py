import allo
from allo import *

T = Template("T")
@kernel(T)
def g(x: T):
    pass
@kernel
def f(x: i32):
    g(x)
# -->
# [E0206] template_called_unbound.py:10:5: error: kernel 'g' has unbound templates: T
# 10 |     g(x)
#    |     ^^^^
# help: specialise it: `g[T]`
