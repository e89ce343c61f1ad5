from allo import *


T = Template("T")


@kernel
def f(x: T) -> T:
    return x
