@kernel
def f(x: i32:
    pass
# -->
# [E0001] syntax_error.py:2:13: error: syntax error: expected `,`, found `:`
# 2 | def f(x: i32:
#   |             ^
# [E0001] syntax_error.py:2:14: error: syntax error: expected `)`, found newline
# 2 | def f(x: i32:
#   |              ^
