from allo import i32, kernel

N = 0
while True:
    N += 1


@kernel
def f(x: i32) -> i32:
    return x + N
