from allo import *


@kernel
def f(x: i32) -> i32:
	y = "ä" + nosuch
	return y
# -->
# [E0101] text_after_tab.py:6:12: error: Name 'nosuch' is not defined
# 6 |  y = "ä" + nosuch
#   |            ^^^^^^
