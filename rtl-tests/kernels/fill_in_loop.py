# A fill inside of a loop: the bounds of its loop stand in the body of the outer one.
from allo import *


@kernel
def top(a: "i32[]"):
    for i in range(11, -1, -3):
        m: "i32[4]"
        a[()] *= m[i]
