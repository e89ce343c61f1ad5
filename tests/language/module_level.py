# Constants of the module, tables, scopes, loops, compile-time functions.
import allo
from allo import *
import math
import numpy as np
from dataclasses import dataclass

M = 4
N = 8
K = M
K = 5
PI = math.pi
TAB = np.array([1, 2, 3, 4], dtype=np.int32)
TAB2 = np.arange(6).reshape(2, 3)
FT = np.zeros(3, dtype=np.float32)
L = [3, 1, 2]
D = {"taps": 4, "w": 7}


@dataclass
class Cfg:
    width: int = 8
    scale: float = 0.5

cfg = Cfg(width=12)


@kernel
def globals_(x: i32) -> (i32, f32, i32, i32, f32, i32):
    return x + K, PI, D["taps"] + x, cfg.width + x, cfg.scale, L[0] + x


#: globals_ {"x": 1} -> {"return":[6,3.1415927410125732,5,13,0.5,4]}


@kernel
def tables(i: i32) -> (i32, i32, f32, i32):
    t: "i32[4]" = TAB
    u: "i8[2, 3]" = TAB2
    v: "f32[3]" = FT
    w: "i32[3]" = L
    return t[i], u[1, i], v[i], w[i]


#: tables {"i": 2} -> {"return": [3, 5, 0.0, 2]}


@kernel
def constfold(x: f64) -> (f64, i32, i32, f64, i32, i32):
    a: constexpr = 7 / 2
    b: constexpr = -7 // 2
    c: constexpr = -7 % 2
    return a, b, c, 2 ** -1, int(3.9), round(2.5)


#: constfold {"x": 0} -> {"return": [3.5, -4, 1, 0.5, 3, 2]}


@kernel
def shapes(inp: "i32[M * N]", out: "i32[M, N // 2 * 2]"):
    for i, j in allo.grid(M, N):
        out[i, j] = inp[i * N + j]


#: shapes {"inp": [0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31], "out": [0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0]} -> {"out": [[0,1,2,3,4,5,6,7],[8,9,10,11,12,13,14,15],[16,17,18,19,20,21,22,23],[24,25,26,27,28,29,30,31]]}


@kernel
def bare_annotation(a: i32[4], b: f32[2, 2], c: i32[()]) -> i32:
    return a[1] + b[1, 1] + c[()]


#: bare_annotation {"a": [1, 2, 3, 4], "b": [1, 2, 3, 4], "c": 9} -> {"return": 15}


@kernel
def first_types(x: i32) -> (i64, f64, i32):
    v = x + x
    v = 4294967296 + x
    w = 0.1
    b = True
    b = x
    return v, w, b


#: first_types {"x": 2147483647} -> {"return": [-2147483649, 0.10000000149011612, 1]}


@kernel
def aug(a: "i32[4]", i: i32) -> i32:
    a[i] += 1
    i += 1
    a[i] *= 3
    i <<= 1
    i |= 1
    i ^= 2
    i **= 2
    i -= 1
    i //= 2
    i %= 7
    i >>= 1
    i &= 0xFF
    i /= 1
    return i


#: aug {"a": [1, 2, 3, 4], "i": 0} -> {"return": 0, "a": [2, 6, 3, 4]}


@kernel
def neg_range(out: "i32[8]") -> i32:
    n: i32 = 0
    for i in range(7, 0, -3):
        out[i] = n
        n += 1
    for i in range(3, 3):
        n = 100
    for i in range(5, 2):
        n = 100
    for i in range(-3, 3, 2):
        n += i
    return n


#: neg_range {"out": [9, 9, 9, 9, 9, 9, 9, 9]} -> {"return": 0, "out": [9, 2, 9, 9, 1, 9, 9, 0]}


@kernel
def near_limit(x: index) -> i32:
    n: i32 = 0
    for i in range(x, 9223372036854775807, 2):
        n += 1
    return n


#: near_limit {"x": 9223372036854775800} -> {"return": 4}


@kernel
def unsigned_bound(x: u8, y: i8) -> i32:
    n: i32 = 0
    for i in range(y, x):
        n += 1
    return n


#: unsigned_bound {"x": 200, "y": -10} -> {"return": 210}


@kernel
def grid3(out: "i32[2, 3, 4]"):
    for i, j, k in allo.grid(2, 3, 4, name="C"):
        out[i, j, k] = i * 100 + j * 10 + k


#: grid3 {"out": [0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0]} -> {"out": [[[0,1,2,3],[10,11,12,13],[20,21,22,23]],[[100,101,102,103],[110,111,112,113],[120,121,122,123]]]}


@kernel
def labelled(out: "i32[4]"):
    for i in allo.range(4, name="i"):
        out[i] = i
    for j in range(4, name="j"):
        out[j] += 1


#: labelled {"out": [0,0,0,0]} -> {"out": [1,2,3,4]}


@kernel
def ternaries(c: u1, x: i8, y: u8, f: f32) -> (i16, f32, i32, i32, f32):
    return x if c else y, f if c else x, 1 if c else 2, x if c else 300, 1.5 if c else 2.5


#: ternaries {"c": 1, "x": -1, "y": 5, "f": 0.5} -> {"return": [255, 0.5, 1, -1, 1.5]}
#: ternaries {"c": 0, "x": -1, "y": 5, "f": 0.5} -> {"return": [5, -1.0, 2, 300, 2.5]}


@kernel
def oob_arm(a: "i32[4]", i: i32) -> i32:
    return a[i] if i < 4 else -1


#: oob_arm {"a": [1, 2, 3, 4], "i": 7} -> {"return": -1}


@kernel
def const_if(x: i32) -> i32:
    r: i32 = x
    if N > 4:
        r += 1
    else:
        r += undefined
    if N == 8 and i32 == i32:
        r += 10
    if "a" == "b":
        r += 1000
    if not N:
        r += 100
    return r


#: const_if {"x": 1} -> {"return": 12}

@kernel
def matcher2(x: u4) -> i32:
    r: i32 = -1
    match x:
        case 0:
            r = 1
        case 1 | 2:
            if x == 1:
                r = 5
            else:
                r = 6
    return r


#: matcher2 {"x": 2} -> {"return": 6}
#: matcher2 {"x": 3} -> {"return": -1}

@kernel
def rank0(x: "f32[]") -> f32:
    y: "f32[]" = 2.5
    y[()] += x[()]
    z: "f32[]" = y
    z[()] *= 2
    return z[()]


#: rank0 {"x": 1.5} -> {"return": 8.0}


@kernel
def tup(x: i32, y: f32) -> (i32, f32):
    return x + 1, y + 1.0


@kernel
def use_tup(x: i32, y: f32, out: "f32[2]") -> i32:
    lhs, rhs = tup(x, y)
    out[0] = rhs + lhs
    a, out[1] = tup(x, y)
    return a


#: use_tup {"x": 1, "y": 0.5, "out": [0, 0]} -> {"return": 2, "out": [3.5, 1.5]}

@kernel
def fwd(x: i32) -> (i32, f32):
    return tup(x, 2.0)


#: fwd {"x": 1} -> {"return": [2, 3.0]}


@kernel
def shadow(x: i32) -> i32:
    r: i32 = 0
    for i in range(3):
        t: i32 = i
        r += t
    for i in range(2):
        t: u8 = 255 + i
        r += t
    if x:
        t = x + 1
        r += t
    return r


#: shadow {"x": 1} -> {"return": 260}


@kernel
def while_carry(n: i32) -> (i32, i32):
    a: i32 = 0
    b: i32 = 1
    k: i32 = 0
    while k < n and b < 100:
        a, b = b, a + b
        k += 1
    return a, k


#: while_carry {"n": 10} -> {"return": [55, 10]}
#: while_carry {"n": 100} -> {"return": [89, 11]}


@kernel
def while_float(x: f32) -> i32:
    n: i32 = 0
    while x:
        x = x - 1.0
        n += 1
    return n


#: while_float {"x": 3.0} -> {"return": 3}


@consteval
def tri(n):
    if n <= 1:
        return n
    return n + tri(n - 1)


@consteval
def mk(n):
    return [i * i for i in range(n)]


@kernel
def ce(x: i32) -> i32:
    t: "i32[4]" = mk(4)
    W: constexpr = tri(4)
    y: apint(tri(4)) = x
    return t[x] + W + len(t) + len(mk(3)) + y


#: ce {"x": 3} -> {"return": 29}


@kernel
def prints(x: i32, a: "i32[3]") -> i32:
    static_assert(N == 8)
    static_assert(len(a) == 3, "len")
    allo.static_assert(a.shape == (3,))
    return x


#: prints {"x": 3, "a": [1, 2, 3]} -> {"return": 3}


@kernel
def apints(x: apint(17), y: apint(23, signed=True), out: "u17[1]") -> apint(5, signed=True):
    u17 = 3
    return x + y
u17 = apint(17)


#: apints {"x": 131071, "y": -1, "out": [0]} -> {"return": -2}


@kernel
def arrcopy(a: "i32[2]", b: "i64[2]") -> ("i32[2]", "f32[2]"):
    c = a
    c[0] = 7
    b = a
    d: "f32[2]" = a
    a = 9
    return c, d


#: arrcopy {"a": [1, 2], "b": [0, 0]} -> {"return": [[7, 2], [1.0, 2.0]], "a": [9, 9], "b": [1, 2]}


@kernel
def eval_order(a: "i32[4]", x: i32) -> i32:
    i: i32 = 0
    a[i], i = i + 5, 2
    a[i] = i
    return i


#: eval_order {"a": [0, 0, 0, 0], "x": 0} -> {"return": 2, "a": [5, 0, 2, 0]}


@kernel
def boolops(a: "i32[3]", b: i32) -> (u1, u1, u1, u1):
    return a[0] and b, a[0] or b, not a[0], a[0] and b and a[1] or a[2]


#: boolops {"a": [4, 2, 0], "b": 8} -> {"return": [1, 1, 0, 1]}
#: boolops {"a": [0, 2, 0], "b": 8} -> {"return": [0, 1, 1, 0]}


@kernel
def npval(x: i32) -> i32:
    n: constexpr = np.int32(4)
    return x + n + int(TAB[1]) + TAB[2]


#: npval {"x": 1} -> {"return": 10}


@kernel
def arith_ns(x: i32, y: i32, f: f32) -> (i32, i32, f32, f32, f32, u1):
    return allo.arith.add(x, y), allo.arith.cast(f, i32), allo.math.fma(f, f, f), allo.math.sqrt(f), allo.abs(f), allo.arith.lt(x, y)


#: arith_ns {"x": 3, "y": 4, "f": 2.25} -> {"return": [7, 2, 7.3125, 1.5, 2.25, 1]}
