from allo import *


@kernel
def f(x: i32) -> i32:
    y = x
  return y
# -->
# [E0001] tabs_and_spaces.py:7:1: error: syntax error: unindent does not match any outer indentation level
# 7 |   return y
#   | ^^
