def f(:
# -->
# [E0001] not_a_kernel_file.py:1:7: error: syntax error: expected a parameter or the end of the parameter list
# 1 | def f(:
#   |       ^
