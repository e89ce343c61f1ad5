# top: -
x = 3
# -->
# [E0004] error: there is no concrete kernel to compile
# note: the file defines no kernel
