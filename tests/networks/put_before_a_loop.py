from allo import *


@kernel
def top(x: "i32[48]", o: Stream[i32]):
    o.put(x[0])
    for i in range(48):
        o.put(x[i])
