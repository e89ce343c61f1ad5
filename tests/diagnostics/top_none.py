# top: -
x = 3
