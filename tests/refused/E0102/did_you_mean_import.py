# top: f
from allo import i32, kernal


@kernal
def f(x: i32) -> i32:
    return x
# -->
# [E0102] --top:1:1: error: 'f' has no value at compile time: 'kernal' has no value at compile time: module 'allo' has no name 'kernal'; did you mean 'kernel'?
# 1 | f
#   | ^
# did_you_mean_import.py:6:5: note: 'f' is bound here
# 6 | def f(x: i32) -> i32:
#   |     ^
