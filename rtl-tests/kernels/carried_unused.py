# A carried value that nothing reads: its register has no writer.
from allo import *


@kernel
def top(s: i32, a: "i32[4]") -> i32:
    for i in range(4):
        s = a[i]
    return 1
