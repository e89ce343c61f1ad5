from allo import *

N = 4


@kernel(mapping=[N, N])
def pe(fa: Stream[i32, 2][N, N + 1], fb: Stream[i32, 2][N + 1, N], c: Stream[i32][N, N]):
    i = get_wid(0)
    j = get_wid(1)
    acc: i32 = 0
    for k in range(N):
        a: i32 = fa[i, j].get()
        b: i32 = fb[i, j].get()
        acc += a * b
        fa[i, j + 1].put(a)
        fb[i + 1, j].put(b)
    c[i, j].put(acc)


@kernel(mapping=[N])
def feed(a: Stream[i32][N], b: Stream[i32][N], fa: Stream[i32, 2][N, N + 1], fb: Stream[i32, 2][N + 1, N]):
    i = get_wid(0)
    for k in range(N):
        x: i32 = a[i].get()
        y: i32 = b[i].get()
        fa[i, 0].put(x)
        fb[0, i].put(y)


@kernel(mapping=[N])
def drain(fa: Stream[i32, 2][N, N + 1], fb: Stream[i32, 2][N + 1, N]):
    i = get_wid(0)
    for k in range(N):
        x = fa[i, N].get()
        y = fb[N, i].get()


@kernel
def top(a: Stream[i32][N], b: Stream[i32][N], c: Stream[i32][N, N]):
    fa: Stream[i32, 2][N, N + 1]
    fb: Stream[i32, 2][N + 1, N]
    feed(a, b, fa, fb)
    pe(fa, fb, c)
    drain(fa, fb)
