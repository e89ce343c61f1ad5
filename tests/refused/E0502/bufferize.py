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
# -->
# [E0502] bufferize.py:9:9: error: bufferize takes offsets, sizes and strides
# 9 |     b = a.bufferize([0], [4])
#   |         ^^^^^^^^^^^^^^^^^^^^^
# [E0601] bufferize.py:10:21: error: the array has rank 1, but 2 given
# 10 |     c = a.bufferize([0, 1], [4], [1])
#    |                     ^^^^^^
# [E0602] bufferize.py:11:22: error: index 8 is out of range 0 to 7
# 11 |     d = a.bufferize([5], [4], [1])
#    |                      ^
# [E0602] bufferize.py:12:27: error: 5 elements in steps of 2 do not fit into 8
# 12 |     e = a.bufferize([n], [5], [2])
#    |                           ^
# [E0107] bufferize.py:13:27: error: a size is a compile-time int, not a value of type i32
# 13 |     g = a.bufferize([n], [n], [1])
#    |                           ^
# [E0203] bufferize.py:14:27: error: a size is positive, not 0
# 14 |     h = a.bufferize([0], [0], [1])
#    |                           ^
# [E0203] bufferize.py:15:32: error: a stride is not 0
# 15 |     i = a.bufferize([0], [4], [0])
#    |                                ^
# [E0602] bufferize.py:16:22: error: index -1 is out of range 0 to 7
# 16 |     j = a.bufferize([2], [4], [-1])
#    |                      ^
# [E0503] bufferize.py:17:24: error: bufferize copies an array, not a list
# 17 |     k = allo.bufferize(TABLE, [0], [4], [1])
#    |                        ^^^^^
# help: declare a variable of the table: `x: "i32[4]" = TABLE`
# [E0104] bufferize.py:18:9: error: a value of type i32 has no attribute 'bufferize'
# 18 |     l = n.bufferize([0], [4], [1])
#    |         ^^^^^^^^^^^
# [E0502] bufferize.py:19:9: error: bufferize takes an array, offsets, sizes and strides
# 19 |     m = allo.bufferize()
#    |         ^^^^^^^^^^^^^^^^
# [E0502] bufferize.py:20:9: error: bufferize takes offsets, sizes and strides
# 20 |     o = a.bufferize([0], [4], [1], copy=True)
#    |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# [E0306] bufferize.py:21:22: error: an index must be an integer, not a float
# 21 |     p = a.bufferize([0.5], [4], [1])
#    |                      ^^^
# [E0102] bufferize.py:29:12: error: 'x' has no value at compile time: bufferize makes an array of a kernel
# 29 |     return x
#    |            ^
# bufferize.py:24:1: note: 'x' is bound here
# 24 | x = allo.bufferize(TABLE, [0], [4], [1])
#    | ^
