import allo
from allo import i32, kernel

TABLE = [1, 2, 3, 4]


@kernel
def f(a: "i32[8]", n: i32):
    b = a.bufferize([0], [4])
    c = a.bufferize([0, 1], [4], [1])
    d = a.bufferize([5], [4], [1])
    e = a.bufferize([n], [5], [2])
    g = a.bufferize([n], [n], [1])
    h = a.bufferize([0], [0], [1])
    i = a.bufferize([0], [4], [0])
    j = a.bufferize([2], [4], [-1])
    k = allo.bufferize(TABLE, [0], [4], [1])
    l = n.bufferize([0], [4], [1])
    m = allo.bufferize()
    o = a.bufferize([0], [4], [1], copy=True)
    p = a.bufferize([0.5], [4], [1])


x = allo.bufferize(TABLE, [0], [4], [1])


@kernel
def g(a: "i32[8]") -> i32:
    return x
