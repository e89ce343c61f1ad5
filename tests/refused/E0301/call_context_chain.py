from allo import *


T = Template("T")


@kernel(T)
def h(x: T) -> T:
    return x << 0.5


@kernel(T)
def g(x: T) -> T:
    return h[T](x)


@kernel
def f(x: i32) -> i32:
    return g[i32](x)
# -->
# [E0301] call_context_chain.py:9:12: error: No hls type promotion rule for operator 'lshift' with operand types i32, f32
# 9 |     return x << 0.5
#   |            ^^^^^^^^
# call_context_chain.py:14:12: note: in kernel 'h' called from 'g'
# 14 |     return h[T](x)
#    |            ^^^^^^^
# call_context_chain.py:19:12: note: in kernel 'g' called from 'f'
# 19 |     return g[i32](x)
#    |            ^^^^^^^^^
# help: cast one operand to the type of the other, or both to a wider one
