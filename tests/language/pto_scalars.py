# The typing style "pto": nothing is promoted, and conversions are written.
from allo import *
from allo.pto import half, tcvt, uint8

CPU = KernelOptions(typing_style="pto")
A5 = KernelOptions(typing_style="pto", profile="a5", lanes=4)


@kernel(options=CPU)
def wraps(a: i8, b: i8) -> (i8, i8, i8, u1):
    c = a + b + 100
    return c, a * b - 1, -a, a < b


#: wraps {"a": 100, "b": 100} -> {"return":[44,15,-100,0]}


@kernel(options=CPU)
def literals(a: u8, x: "f16[2]") -> (u8, u8, i32, f32):
    x[0] = x[1] + 0.1
    n = 3
    y = 0.5
    return a & 0xFF, (a << 3) | 1, n, y


#: literals {"a": 255, "x": [0, 1]} -> {"return":[255,249,3,0.5],"x":[1.099609375,1.0]}


@kernel(options=CPU)
def shifts(a: i16, n: u8, i: index) -> (i16, i16, i16, u1):
    return a << n, a >> i, a >> 20, a and n


#: shifts {"a": -3, "n": 4, "i": 1} -> {"return":[-48,-2,-1,1]}


@kernel(options=CPU)
def converts(a: f32, b: i32, c: i16) -> (i32, f16, uint8, i64, f16):
    d = tcvt(a, i32)
    e = tcvt(b, half)
    return d, e, tcvt(c, u8), tcvt(c, i64), tcvt(a, f16)


#: converts {"a": -2.5, "b": 70000, "c": 300} -> {"return":[-2,"inf",44,300,-2.5]}
#: converts {"a": 65520.0, "b": 2049, "c": -1} -> {"return":[65520,2048.0,255,-1,"inf"]}


@kernel(options=CPU)
def half_bits(a: f16) -> bf16:
    return tcvt(a, bf16)


#: half_bits {"a": "0x3c00"} -> {"return":0.0078125}


@kernel(options=CPU)
def stores(a: f32, s: "f8e4m3[2]", t: "f4e2m1[2]", x: "f32[2]"):
    s[0] = tcvt(a, f8e4m3)
    s[1] = s[0]
    t[1] = tcvt(a, f4e2m1)
    x[0] = tcvt(s[1], f32)
    x[1] = tcvt(t[1], f32)


#: stores {"a": 464.0, "s": [0, 0], "t": [0, 0], "x": [0, 0]} -> {"x":[448.0,6.0],"s":[448.0,448.0]}


@kernel(options=CPU)
def indices(x: "i32[4]", n: u8) -> i32:
    total: i32 = 0
    for i in range(n):
        total += x[i] * tcvt(i, i32)
    return total


#: indices {"x": [1, 2, 3, 4], "n": 4} -> {"return":20}


@kernel(options=CPU)
def keeps(a: f32, b: f32) -> (f32, u1):
    return a + b, a == b


#: keeps {"a": "0x00000001", "b": "0x00000002"} -> {"return":[4.203895392974451e-45,0]}


@kernel(options=A5)
def flushes(a: f32, b: f32) -> (f32, u1, f32, u1, f16, f32):
    return a + b, a == b, -a, not a, tcvt(a * 1.0, f16), tcvt(tcvt(b, i32), f32)


#: flushes {"a": "0x00000001", "b": "0x80000002"} -> {"return":[0.0,1,-1.401298464324817e-45,0,0.0,0.0]}


@kernel(options=A5)
def calls(a: f32) -> f32:
    p, e = keeps(a, a)
    return p


#: calls {"a": "0x00000001"} -> {"return":2.802596928649634e-45}


@kernel(options=CPU)
def quantised(x: f32) -> (i8, i8, i8, i8, i8, i8):
    return (
        tcvt(x, i8, rnd="rne"),
        tcvt(x, i8, rnd="rna"),
        tcvt(x, i8, rnd="rz"),
        tcvt(x, i8, rnd="rp"),
        tcvt(x, i8, rnd="rm"),
        tcvt(x, i8, rnd="ro"),
    )


#: quantised {"x": 2.5} -> {"return":[2,3,2,3,2,3]}
#: quantised {"x": -2.5} -> {"return":[-2,-3,-2,-2,-3,-3]}
