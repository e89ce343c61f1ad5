from allo import *


@kernel
def puts(s: Stream[i32]):
    s.put(1)


@kernel
def f(n: i32, y: "i32[4]"):
    s: Stream[i32]
    puts(s)
    if n > 2:
        return
    y[0] = s.get()
# -->
# [E0208] return_beside_processes.py:14:9: error: an early return beside processes
# 14 |         return
#    |         ^^^^^^
# help: processes run at the same time: return behind the last one
