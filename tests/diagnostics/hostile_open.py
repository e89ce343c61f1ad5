from allo import i32, kernel

N = len(open("/etc/passwd").read())


@kernel
def f(x: i32) -> i32:
    return x + N
