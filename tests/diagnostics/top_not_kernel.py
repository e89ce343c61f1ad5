# top: x
x = 3
