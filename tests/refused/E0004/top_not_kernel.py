# top: x
x = 3
# -->
# [E0004] error: 'x' is an int, not a kernel
# note: the file defines no kernel
