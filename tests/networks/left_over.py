# More elements are put than got: the stream is made long enough for those that are left.
from allo import *


@kernel
def puts(x: "i32[6]", s: "Stream[i32]"):
    for i in range(6):
        s.put(x[i])


@kernel
def gets(s: "Stream[i32]", y: "i32[2]"):
    for i in range(2):
        y[i] = s.get()


@kernel
def top(x: "i32[6]", y: "i32[2]"):
    s: Stream[i32]
    puts(x, s)
    gets(s, y)
