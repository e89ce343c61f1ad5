# Vectors and masks: each operation on few lanes that are looked at.
from allo import *
from allo.pto import *

CPU = KernelOptions(typing_style="pto")
WIDE = KernelOptions(typing_style="pto", profile="a5", lanes=16)


@kernel(options=WIDE)
def axpy(a: f32, n: i32) -> (f32, f32, f32, f32):
    x: "f32[64]" = 0.0
    y: "f32[64]" = 1.0
    vsts(vcvt(vci(0), f32), x, 0)
    m: mask[64] = plt(64, n)
    s: vreg[f32] = vadd(vmuls(vlds(x, 0), a), vlds(y, 0), mask=m)
    vsts(s, y, 0, mask=m)
    return y[0], y[4], y[5], y[63]


#: axpy {"a": 2.0, "n": 5} -> {"return":[1.0,9.0,1.0,1.0]}
#: axpy {"a": 2.0, "n": -1} -> {"return":[1.0,1.0,1.0,1.0]}
#: axpy {"a": 0.5, "n": 2147483647} -> {"return":[1.0,3.0,3.5,32.5]}


@kernel(options=CPU)
def reductions(k: i32) -> (i32, i32, i32, i32, i32):
    y: "i32[64]"
    v = vci(-10)
    m = vcmps(v, k, "lt")
    vsts(vcadd(v, m), y, 0)
    a = y[0]
    vsts(vcmax(v, mask=m), y, 0)
    b = y[0]
    vsts(vcmin(vsub(v, vdup(3, i32)), m), y, 0)
    c = y[0]
    vsts(vcadd(v), y, 0)
    return a, b, c, y[0], y[1]


#: reductions {"k": 0} -> {"return":[-55,-1,-13,1376,0]}
#: reductions {"k": -10} -> {"return":[0,0,0,1376,0]}


# The tree adds the neighbours first, and loses each 1; the sum from the left would be 1.
@kernel(options=CPU)
def by_the_tree(big: f32, nan: f32) -> (f32, f32, f32):
    y: "f32[64]"
    low = plt(64, 4)
    odd = vcmps(vand(vci(0), vdup(1, i32)), 1, "eq")
    v = vsel(vdup(big), vneg(vdup(big)), pset(64, "PAT_VL1"))
    v = vsel(vdup(1.0, f32), v, odd)
    vsts(vcadd(v, low), y, 0)
    a = y[0]
    w = vdup(nan)
    vsts(vcmax(w, low), y, 0)
    b = y[0]
    vsts(vcmax(vsel(vdup(-0.0, f32), w, low)), y, 0)
    return a, b, y[0]


#: by_the_tree {"big": 1e30, "nan": "nan"} -> {"return":[0.0,"nan",-0.0]}


@kernel(options=CPU)
def carried(n: i32) -> (i32, i32, i32):
    x: "i32[256]"
    y: "i32[64]"
    z: "i32[64]"
    for k in range(4):
        vsts(vadds(vci(0), tcvt(k * 64, i32)), x, k * 64)
    acc: vreg[i32] = vdup(0, i32)
    last = vci(3)
    for i in range(n):
        old = acc
        acc = vadd(acc, vlds(x, i * 64))
        if i == 2:
            last = old
        else:
            acc = vadds(acc, 1)
    vsts(acc, y, 0)
    vsts(last, z, 0)
    return y[1], z[0], z[63]


#: carried {"n": 4} -> {"return":[391,66,192]}
#: carried {"n": 0} -> {"return":[0,3,66]}


@kernel(options=CPU)
def swapped(n: i32) -> (i32, i32):
    y: "i32[64]"
    a = vci(0)
    b = vci(100, "desc")
    keep = pset(64, "PAT_VL1")
    flip = pnot(keep)
    for i in range(n):
        a, b = b, a
        keep, flip = flip, keep
    vsts(a, y, 0, keep)
    return y[0], y[63]


#: swapped {"n": 3} -> {"return":[0,37]}
#: swapped {"n": 2} -> {"return":[0,0]}


@kernel(options=CPU)
def while_carried(n: i32) -> i32:
    y: "i32[64]"
    v = vci(1)
    while n > 0:
        v = vadd(v, v)
        n -= 1
    vsts(v, y, 0)
    return y[2]


#: while_carried {"n": 5} -> {"return":96}


# Lane by lane, not as if the sum were stored before the shifted load.
@kernel(options=CPU)
def overlapping() -> (i32, i32, i32):
    x: "i32[96]" = 7
    vsts(vci(0), x, 0)
    v = vlds(x, 1)
    vsts(v, x, 2)
    w = vlds(x, 2)
    vsts(vadd(w, w), x, 2)
    return x[2], x[3], x[65]


#: overlapping {} -> {"return":[2,4,14]}


@kernel(options=CPU)
def at_run_time(off: i64) -> (f32, f32, f32):
    x: "f32[4, 32]" = 1.0
    x[2, 7] = 5.0
    y: "f32[100]" = 0.0
    vsts(vlds(x, off), y, off)
    return y[0], y[71], y[99]


#: at_run_time {"off": 70} -> {"return":[0.0,5.0,1.0]}
#: at_run_time {"off": -1} -> {"return":[1.0,0.0,0.0]}
#: at_run_time {"off": 9223372036854775807} -> {"return":[0.0,0.0,0.0]}


@kernel(options=CPU)
def bits() -> (u16, u16, f32, f4e2m1, i32):
    h: "u16[128]"
    f: "f32[64]"
    n: "f4e2m1[512]"
    i: "i32[64]"
    v = vdup(-1.5, f32)
    vsts(vbitcast(v, u16), h, 0)
    vsts(vbitcast(vlds(h, 0), f32), f, 0)
    vsts(vbitcast(vbitcast(vlds(h, 0), i64), f4e2m1), n, 0)
    vsts(vxor(vnot(vbitcast(v, i32)), vci(0), merge=vdup(9, i32), mask=plt(64, 2)), i, 0)
    return h[0], h[127], f[63], n[7], i[1] + i[2]


#: bits {} -> {"return":[0,49088,-1.5,-1.5,1077936135]}


@kernel(options=CPU)
def parts() -> (f16, f16, f16, f32, f32, i8, i8, f32):
    h: "f16[128]"
    f: "f32[64]"
    q: "i8[256]"
    v = vadds(vcvt(vci(0), f32), 2049.5)
    w = por(vcmps(v, 2050.0, "lt"), pset(64, "PAT_VL3"))
    odd = vcvt(v, f16, rnd="rp", part=1, mask=w)
    vsts(vor(vcvt(v, f16, part="even"), odd), h, 0)
    vsts(vcvt(vlds(h, 0), f32, part="odd"), f, 0)
    vsts(vcvt(vlds(h, 0), i8, sat=True, part=1), q, 0)
    a = f[0]
    b = f[3]
    vsts(vtrc(vmuls(v, -0.001), "rm"), f, 0)
    return h[0], h[1], h[7], a, b, q[0], q[1], f[63]


#: parts {} -> {"return":[2050.0,2050.0,0.0,2050.0,0.0,0,127,-3.0]}


@kernel(options=CPU)
def integers(a: i8, s: u32) -> (i8, i8, i8, i8, i8):
    q: "i8[256]"
    v = vdup(a)
    vsts(vabs(v), q, 0)
    b = q[9]
    vsts(vneg(vshls(v, 1)), q, 0)
    c = q[9]
    vsts(vrelu(vmul(v, v)), q, 0)
    d = q[9]
    vsts(vshr(v, vci(a, "desc")), q, 0)
    e = q[130]
    vsts(vshrs(vmaxs(v, -100), s), q, 0)
    return b, c, d, e, q[0]


#: integers {"a": -128, "s": 4294967295} -> {"return":[-128,0,0,-1,-1]}
#: integers {"a": 5, "s": 1} -> {"return":[5,-10,25,0,2]}


# Lanes in one row, and over several.
@kernel(options=CPU)
def rows() -> (i32, i32, i32, i32):
    x: "i32[2, 3, 48]" = 0
    x[0, 1, 2] = 5
    x[0, 2, 17] = 7
    w: "i32[2, 80]" = 0
    w[1, 3] = 11
    w[1, 66] = 13
    y: "i32[64]"
    vsts(vlds(x, 50), y, 0)
    a, b = y[0], y[63]
    vsts(vlds(w, 83), y, 0)
    return a, b, y[0], y[63]


#: rows {} -> {"return":[5,7,11,13]}


# Of every number in every way; 17 lies between 16 and 18.
@kernel(options=CPU)
def rounded(x: f32) -> (f32, f32, f32, f32, f32, f32):
    f: "f8e4m3[6, 256]"
    v = vdup(x)
    vsts(vcvt(v, f8e4m3, rnd="rne"), f, 0)
    vsts(vcvt(v, f8e4m3, rnd="rna"), f, 256)
    vsts(vcvt(v, f8e4m3, rnd="rz"), f, 512)
    vsts(vcvt(v, f8e4m3, rnd="rp"), f, 768)
    vsts(vcvt(v, f8e4m3, rnd="rm"), f, 1024)
    vsts(vcvt(v, f8e4m3, rnd="ro"), f, 1280)
    return (
        tcvt(f[0, 0], f32),
        tcvt(f[1, 0], f32),
        tcvt(f[2, 0], f32),
        tcvt(f[3, 0], f32),
        tcvt(f[4, 0], f32),
        tcvt(f[5, 0], f32),
    )


#: rounded {"x": 17.0} -> {"return":[16.0,18.0,16.0,18.0,16.0,18.0]}
#: rounded {"x": -17.0} -> {"return":[-16.0,-18.0,-16.0,-16.0,-18.0,-18.0]}


# An offset above 2^63 - 1 is far outside, not just before the array.
@kernel(options=CPU)
def far_outside(y: "i32[4]", n: u64):
    x: "i32[64]" = 0
    vsts(vci(1), x, n)
    for i in range(4):
        y[i] = x[i]


#: far_outside {"y": [9, 9, 9, 9], "n": 18446744073709551615} -> {"y":[0,0,0,0]}
#: far_outside {"y": [9, 9, 9, 9], "n": 1} -> {"y":[0,1,2,3]}
