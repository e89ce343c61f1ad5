import heapq
import random

import numpy as np
from allo import i32, kernel

N = 1
M = 1
V = []
W = np.array([3, 1, 2, 0])
VIEW = W[1:]
H = [3, 1]
T = [1]
U = [1]
KEPT = [1, 2]


class C:
    n = 1


def setup():
    global N
    N = random.randint(3, 9)


def fill(items):
    items.append(random.random())


class Store:
    items = [1]

    def clear(self):
        if self.items:
            self.items.pop()
            self.clear()
        random.seed(1)


S = Store()


setup()
if (M := random.randint(3, 9)) > 2:
    pass
C.n = random.randint(3, 9)
for _ in range(4):
    V.append(random.randint(3, 9))
np.add(W, 10, out=W)
heapq.heapify(H)
pair = fill(T), fill(U)
S.clear()
print(np.unique(KEPT))


@kernel
def f(x: i32) -> i32:
    a: i32 = N
    b: i32 = M
    c: i32 = C.n
    d: i32 = len(V)
    e: i32 = W[0]
    g: i32 = VIEW[0]
    h: i32 = H[0]
    i: i32 = T[0]
    j: i32 = U[0]
    k: i32 = S.items[0]
    return KEPT[1]
# -->
# [E0102] changed_in_place.py:59:14: error: 'N' has no value at compile time: 'random' has no value at compile time: module 'random' is not available at compile time
# 59 |     a: i32 = N
#    |              ^
# changed_in_place.py:44:1: note: 'N' is bound here
# 44 | setup()
#    | ^^^^^^^
# [E0102] changed_in_place.py:60:14: error: 'M' has no value at compile time: 'random' has no value at compile time: module 'random' is not available at compile time
# 60 |     b: i32 = M
#    |              ^
# changed_in_place.py:45:5: note: 'M' is bound here
# 45 | if (M := random.randint(3, 9)) > 2:
#    |     ^^^^^^^^^^^^^^^^^^^^^^^^^
# [E0102] changed_in_place.py:61:14: error: 'C' has no value at compile time: 'random' has no value at compile time: module 'random' is not available at compile time
# 61 |     c: i32 = C.n
#    |              ^
# changed_in_place.py:47:1: note: 'C' is bound here
# 47 | C.n = random.randint(3, 9)
#    | ^^^
# [E0102] changed_in_place.py:62:18: error: 'V' has no value at compile time: 'random' has no value at compile time: module 'random' is not available at compile time
# 62 |     d: i32 = len(V)
#    |                  ^
# changed_in_place.py:49:5: note: 'V' is bound here
# 49 |     V.append(random.randint(3, 9))
#    |     ^
# [E0102] changed_in_place.py:63:14: error: 'W' has no value at compile time: add has no parameter 'out'
# 63 |     e: i32 = W[0]
#    |              ^
# changed_in_place.py:50:8: note: 'W' is bound here
# 50 | np.add(W, 10, out=W)
#    |        ^
# [E0102] changed_in_place.py:64:14: error: 'VIEW' has no value at compile time: add has no parameter 'out'
# 64 |     g: i32 = VIEW[0]
#    |              ^^^^
# changed_in_place.py:50:8: note: 'VIEW' is bound here
# 50 | np.add(W, 10, out=W)
#    |        ^
# [E0102] changed_in_place.py:65:14: error: 'H' has no value at compile time: 'heapq' has no value at compile time: module 'heapq' is not available at compile time
# 65 |     h: i32 = H[0]
#    |              ^
# changed_in_place.py:51:15: note: 'H' is bound here
# 51 | heapq.heapify(H)
#    |               ^
# [E0102] changed_in_place.py:66:14: error: 'T' has no value at compile time: 'random' has no value at compile time: module 'random' is not available at compile time
# 66 |     i: i32 = T[0]
#    |              ^
# changed_in_place.py:52:13: note: 'T' is bound here
# 52 | pair = fill(T), fill(U)
#    |             ^
# [E0102] changed_in_place.py:67:14: error: 'U' has no value at compile time: 'random' has no value at compile time: module 'random' is not available at compile time
# 67 |     j: i32 = U[0]
#    |              ^
# changed_in_place.py:52:22: note: 'U' is bound here
# 52 | pair = fill(T), fill(U)
#    |                      ^
# [E0102] changed_in_place.py:68:14: error: 'S' has no value at compile time: 'random' has no value at compile time: module 'random' is not available at compile time
# 68 |     k: i32 = S.items[0]
#    |              ^
# changed_in_place.py:53:1: note: 'S' is bound here
# 53 | S.clear()
#    | ^
