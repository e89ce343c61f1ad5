import allo
from allo import KernelOptions, i32, kernel


@kernel
def f(a: "i32[4]", b: "i32[4]", c: "i32[3]"):
    allo.arith.add(a, b, c)
    allo.arith.add(a, b, 5)
    allo.arith.add(a, b, b, acc=a)
    allo.arith.max(a, b, 5, acc=5)


@kernel(options=KernelOptions(enable_tensor=True))
def g(a: "i32[4]", b: "i32[4]", c: "i32[4]") -> "i32[4]":
    allo.arith.add(a, b, acc=c)
    return c
# -->
# [E0304] acc_position.py:7:20: error: the shapes [3] and [4] cannot be broadcast together
# 7 |     allo.arith.add(a, b, c)
#   |                    ^
# [E0502] acc_position.py:8:5: error: 'add' takes 2 arguments, but 3 given
# 8 |     allo.arith.add(a, b, 5)
#   |     ^^^^^^^^^^^^^^^^^^^^^^^
# [E0502] acc_position.py:9:29: error: 'acc' is given twice
# 9 |     allo.arith.add(a, b, b, acc=a)
#   |                             ^^^^^
# [E0503] acc_position.py:10:33: error: acc= takes an array, not an int
# 10 |     allo.arith.max(a, b, 5, acc=5)
#    |                                 ^
# [E0412] acc_position.py:15:5: error: the result is a new tensor, which this statement leaves
# 15 |     allo.arith.add(a, b, acc=c)
#    |     ^^^^^^^^^^^^^^^^^^^^^^^^^^^
# help: assign it: `c = allo.arith.add(a, b, acc=c)`
