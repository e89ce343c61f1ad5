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
KEPT = [1, 2]


class C:
    n = 1


def setup():
    global N
    N = random.randint(3, 9)


def fill(items):
    items.append(random.random())


setup()
if (M := random.randint(3, 9)) > 2:
    pass
C.n = random.randint(3, 9)
for _ in range(4):
    V.append(random.randint(3, 9))
np.add(W, 10, out=W)
heapq.heapify(H)
fill(T)
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
    return KEPT[1]
# -->
# [E0102] changed_in_place.py:44:14: error: 'N' has no value at compile time: 'random' has no value at compile time: module 'random' is not available at compile time
# 44 |     a: i32 = N
#    |              ^
# changed_in_place.py:30:1: note: 'N' is bound here
# 30 | setup()
#    | ^^^^^^^
# [E0102] changed_in_place.py:45:14: error: 'M' has no value at compile time: 'random' has no value at compile time: module 'random' is not available at compile time
# 45 |     b: i32 = M
#    |              ^
# changed_in_place.py:31:5: note: 'M' is bound here
# 31 | if (M := random.randint(3, 9)) > 2:
#    |     ^^^^^^^^^^^^^^^^^^^^^^^^^
# [E0102] changed_in_place.py:46:14: error: 'C' has no value at compile time: 'random' has no value at compile time: module 'random' is not available at compile time
# 46 |     c: i32 = C.n
#    |              ^
# changed_in_place.py:33:1: note: 'C' is bound here
# 33 | C.n = random.randint(3, 9)
#    | ^^^
# [E0102] changed_in_place.py:47:18: error: 'V' has no value at compile time: 'random' has no value at compile time: module 'random' is not available at compile time
# 47 |     d: i32 = len(V)
#    |                  ^
# changed_in_place.py:35:5: note: 'V' is bound here
# 35 |     V.append(random.randint(3, 9))
#    |     ^
# [E0102] changed_in_place.py:48:14: error: 'W' has no value at compile time: add has no parameter 'out'
# 48 |     e: i32 = W[0]
#    |              ^
# changed_in_place.py:36:8: note: 'W' is bound here
# 36 | np.add(W, 10, out=W)
#    |        ^
# [E0102] changed_in_place.py:49:14: error: 'VIEW' has no value at compile time: add has no parameter 'out'
# 49 |     g: i32 = VIEW[0]
#    |              ^^^^
# changed_in_place.py:36:8: note: 'VIEW' is bound here
# 36 | np.add(W, 10, out=W)
#    |        ^
# [E0102] changed_in_place.py:50:14: error: 'H' has no value at compile time: 'heapq' has no value at compile time: module 'heapq' is not available at compile time
# 50 |     h: i32 = H[0]
#    |              ^
# changed_in_place.py:37:15: note: 'H' is bound here
# 37 | heapq.heapify(H)
#    |               ^
# [E0102] changed_in_place.py:51:14: error: 'T' has no value at compile time: 'random' has no value at compile time: module 'random' is not available at compile time
# 51 |     i: i32 = T[0]
#    |              ^
# changed_in_place.py:38:6: note: 'T' is bound here
# 38 | fill(T)
#    |      ^
