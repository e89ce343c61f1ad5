# Tiles: valid regions, padding, layouts, reductions and products.
from allo import *
from allo.pto import *

A5 = KernelOptions(typing_style="pto", profile="a5")
WIDE = KernelOptions(typing_style="pto", lanes=4)
EDGE = tile(i32, 2, 8, valid=(1, 3), pad="max")
MAT = tile(i8, 32, 32, loc="mat", valid=(2, 4))
LEFT = tile(i8, 32, 32, loc="left", valid=(2, 4))
RIGHT = tile(i8, 32, 32, loc="right", valid=(4, 2))
FROM = tile(i8, 32, 32, loc="mat", valid=(4, 2))
ACC = tile(i32, 32, 32, loc="acc", valid=(2, 2))


@kernel(options=A5)
def edge(g: "i32[4, 8]", r: i32, t: EDGE) -> (i32, i32, i32):
    e: EDGE
    tload(e, g, r, 5)
    tadds(e, e, 1)
    h: "i32[4, 8]" = -1
    tstore(h, e, 1, 2)
    texpands(t, 3)
    return h[1, 2], h[1, 4], h[1, 5]


#: edge {"g": [[0,1,2,3,4,5,6,7],[8,9,10,11,12,13,14,15],[0,0,0,0,0,0,0,0],[1,1,1,1,1,1,1,1]], "r": 1, "t": [9,9,9,9,9,9,9,9,9,9,9,9,9,9,9,9]} -> {"return":[14,16,-1],"t":[3,3,3,9,9,9,9,9,9,9,9,9,9,9,9,9]}


@kernel(options=WIDE)
def padded(x: i32) -> (i32, i32, i32):
    s: tile(i32, 2, 8, valid=(1, 3))
    t: tile(i32, 2, 8, pad="min")
    texpands(s, x)
    tfillpad(t, s)
    h: "i32[2, 8]"
    tstore(h, t)
    return h[0, 2], h[0, 3], h[1, 0]


#: padded {"x": 7} -> {"return":[7,-2147483648,-2147483648]}


@kernel(options=WIDE)
def reduced(x: "f32[4, 8]") -> (f32, f32, f32, f32):
    t: tile(f32, 4, 8)
    s: tile(f32, 4, 8, valid=(4, 1))
    u: tile(f32, 4, 8)
    m: tile(f32, 1, 8)
    h: "f32[4, 8]"
    n: "f32[1, 8]"
    tload(t, x)
    trowsum(s, t)
    trowexpand(u, s)
    tstore(h, u)
    tcolmin(m, t)
    tstore(n, m)
    return h[0, 7], h[3, 0], n[0, 0], n[0, 7]


#: reduced {"x": [1e8,1,-1e8,1,1,1,1,1, 0,0,0,0,0,0,0,-5, 2,2,2,2,2,2,2,2, 3,3,3,3,3,3,3,"nan"]} -> {"return":[5.0,"nan",0.0,-5.0]}


@kernel(options=A5)
def product(a: "i8[2, 4]", b: "i8[4, 2]") -> (i32, i32, i32, i32):
    ma: MAT
    mb: FROM
    l: LEFT
    r: RIGHT
    c: ACC
    tload(ma, a)
    tload(mb, b)
    tmov(l, ma)
    tmov(r, mb)
    tmatmul(c, l, r)
    tmatmul_acc(c, l, r)
    o: "i32[2, 2]"
    tstore(o, c)
    return o[0, 0], o[0, 1], o[1, 0], o[1, 1]


#: product {"a": [[1,2,3,4],[-5,6,-7,127]], "b": [[1,0],[0,1],[2,-3],[-128,4]]} -> {"return":[-1010,18,-32550,1070]}


@kernel(options=A5)
def nd_to_nz(t: tile(f32, 16, 16, loc="mat")):
    v: tile(f32, 16, 16)
    g: "f32[16, 16]" = 0.0
    g[1, 9] = 2.0
    g[15, 7] = 3.0
    tload(v, g)
    tmov(t, v)


@kernel(options=A5)
def laid_out() -> (f32, f32):
    t: tile(f32, 16, 16, loc="mat")
    nd_to_nz(t)
    x: tile(f32, 16, 16, loc="left", valid=(16, 16))
    tmov(x, t)
    r: tile(f32, 16, 16, loc="right")
    one: tile(f32, 16, 16, loc="mat", layout="zn")
    i: "f32[16, 16]" = 0.0
    for k in range(16):
        i[k, k] = 1.0
    tload(one, i)
    tmov(r, one)
    c: tile(f32, 16, 16, loc="acc")
    tmatmul(c, x, r)
    o: "f32[16, 16]"
    tstore(o, c)
    return o[1, 9], o[15, 7]


#: laid_out {} -> {"return":[2.0,3.0]}


@kernel(options=A5)
def modes(a: f32) -> (f32, f32, f32):
    x = a + a
    sethf32mode(True)
    y = a + a
    settf32mode(False)
    return x, y, a + a


#: modes {"a": "0x00000001"} -> {"return":[0.0,2.802596928649634e-45,0.0]}


@kernel(options=A5)
def quantised(x: "f32[1, 8]", g: "i8[1, 32]"):
    t: tile(f32, 1, 32, valid=(1, 8))
    q: tile(i8, 1, 32, valid=(1, 8))
    tload(t, x)
    tcvt(q, t, rnd="rna", sat=True)
    tstore(g, q)


#: quantised {"x": [-2.5,2.5,0.4,300,-300,1.5,0.5,-0.5], "g": [0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0]} -> {"g":[[-3,3,0,127,-128,2,1,-1,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0]]}


# Rows from 2^64 - 1 on are not the row before the first one.
@kernel(options=A5)
def far_outside(x: "f32[8, 8]", n: u64) -> (f32, f32):
    t: tile(f32, 8, 8)
    tload(t, x)
    tadds(t, t, 1.0)
    tstore(x, t, n, 0)
    return x[0, 0], x[1, 0]


#: far_outside {"x": [0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0], "n": 18446744073709551615} -> {"return":[0.0,0.0]}
#: far_outside {"x": [0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0], "n": 1} -> {"return":[0.0,1.0]}
