# Options of kernels, captures, whole arrays, types beside literals.
from __future__ import annotations
import allo.exp as allo
from allo.exp.lang import bool, f32, f64, f16, bf16, i32, u1, u32, u8, i8, i16, u16, i64, kernel, index, constexpr, consteval, KernelOptions, Template, apint
from . import run_machsuite_kernel
from ..spec import Benchmark
from typing import Literal

S, P = 8, 3
alpha, beta = 1.5, 0.5


@kernel
def callee(v: i32) -> i32:
    return v + 2


@kernel
def caps(x: i32, out: i32[2]):
    inv: constexpr = callee
    M: constexpr = allo.lang.core
    @kernel
    def worker(v: i32, o: i32[2]) -> i32:
        for i in M.range(2):
            o[i] = i
        return inv(v)
    t = worker(x, out)
    out[0] = t


#: caps {"x": 3, "out": [9, 9]} -> {"out": [5, 1]}


@kernel
def kmp(pattern: u8[P], input_str: u8[S], kmp_next: u8[P], matches: u8[1]):
    k: index = 0
    x: index = 1
    for i in range(P - 1):
        while k > 0 and pattern[k] != pattern[x]:
            k = kmp_next[k - 1]
        if pattern[k] == pattern[x]:
            k += 1
        kmp_next[x] = k
        x += 1
    q: index = 0
    for i in range(S):
        while q > 0 and pattern[q] != input_str[i]:
            q = kmp_next[q - 1]
        if pattern[q] == input_str[i]:
            q += 1
        if q >= P:
            matches[0] += 1
            q = kmp_next[q - 1]


#: kmp {"pattern": [1,2,1], "input_str": [1,2,1,2,1,3,1,2], "kmp_next": [0,0,0], "matches": [0]} -> {"matches": [2], "kmp_next": [0,0,1]}


@kernel(options=KernelOptions(typing_style="cpp"))
def inherits(x: u8, y: u8) -> i32:
    @kernel
    def inner(a: u8, b: u8) -> i32:
        return a + b
    return inner(x, y) * 1000 + wide(x, y)


@kernel
def wide(a: u8, b: u8) -> i32:
    return a + b


#: inherits {"x": 200, "y": 100} -> {"return": 44300}


@kernel(options=KernelOptions(fast_math=True))
def fm(a: f32, b: f32, c: f32, d: f32, e: f32) -> f32:
    return a + b + c + d + e


#: fm {"a": 100000000.0, "b": 1.0, "c": -100000000.0, "d": 1.0, "e": 3.0} -> {"return": 3.0}


@kernel
def nofm(a: f32, b: f32, c: f32, d: f32, e: f32) -> f32:
    return a + b + c + d + e


#: nofm {"a": 100000000.0, "b": 1.0, "c": -100000000.0, "d": 1.0, "e": 3.0} -> {"return": 4.0}


@kernel(options=KernelOptions(fast_math=True))
def fm2(a: f32, b: f32, c: f32, d: f32) -> f32:
    return a - b + (c - d)


#: fm2 {"a": 1.0, "b": 2.0, "c": 4.0, "d": 8.0} -> {"return": -5.0}


@kernel(options=KernelOptions(fast_math=True))
def fmmul(a: f32, b: f32, c: f32, d: f32) -> f32:
    return a * b * c * d


#: fmmul {"a": 1e30, "b": 1e-30, "c": 1e30, "d": 1e-30} -> {"return": 1.0}


@kernel(options=KernelOptions(enable_tensor=True))
def tens(x: f32[4], y: f32[4]) -> f32:
    z = x * y + 1
    z[0] = 100
    w = z
    w[1] = 5
    return allo.linalg.dot(z, w)[()]


#: tens {"x": [1,2,3,4], "y": [1,1,1,1]} -> {"return": 10056.0}


@kernel(options=KernelOptions(enable_tensor=True))
def tens_param(x: i32[2]) -> i32[2]:
    x[0] = 5
    return x


@kernel
def buf_calls_tensor(x: i32[2]) -> i32[2]:
    y = tens_param(x)
    return y


#: buf_calls_tensor {"x": [1, 2]} -> {"return": [5, 2], "x": [1, 2]}


@kernel
def mm(a: i8[2, 3], b: i8[3, 2], c: i16[2, 2]) -> i32[2, 2]:
    allo.linalg.matmul(a, b, acc=c)
    return allo.linalg.matmul(a, b)


#: mm {"a": [127,127,127,127,127,127], "b": [127,127,127,127,127,127], "c": [0,0,0,1]} -> {"return": [[48387,48387],[48387,48387]], "c": [[-17149,-17149],[-17149,-17148]]}


@kernel
def ew(a: i32[2, 1], b: i32[3], c: i32[2, 3]) -> u1[2, 3]:
    allo.arith.add(a, b, acc=c)
    return c > 3


#: ew {"a": [1, 2], "b": [1, 2, 3], "c": [0,0,0,0,0,0]} -> {"return": [[0,0,1],[0,1,1]], "c": [[2,3,4],[3,4,5]]}


@kernel
def mathint(a: i32, b: i64) -> (f32, f64, f32, f32):
    return allo.math.sqrt(a), allo.math.sqrt(b), allo.math.pow(2.0, 3.0) + 0 * a, allo.math.rsqrt(4.0 * a)


#: mathint {"a": 4, "b": 9} -> {"return": [2.0, 3.0, 8.0, 0.25]}


@kernel
def fmod_like(a: f64, b: f64) -> (f64, f64, f64):
    return a % b, a // b, a ** b


#: fmod_like {"a": -5.5, "b": 2.0} -> {"return": [-1.5, -3.0, 30.25]}


@kernel
def idx_float(x: index) -> f32:
    y: f32 = x
    return y


#: idx_float {"x": 16777217} -> {"return": 16777216.0}


@kernel
def redecl_in_loop(n: i32) -> i32:
    s: i32 = 0
    for i in range(3):
        x: i32 = i * n
        if x > 2:
            y: i32 = x
            s += y
    return s


#: redecl_in_loop {"n": 2} -> {"return": 4}


@kernel
def zero_fill(n: i32) -> i32[4]:
    acc: i32[4]
    for i in range(2):
        acc[i] += n
    return acc


#: zero_fill {"n": 3} -> {"return": [3, 3, 0, 0]}


@kernel
def tern_arrays(c: u1, a: i32[2], b: i32[2]) -> i32[2]:
    return a if c else b


#: tern_arrays {"c": 0, "a": [1,2], "b": [3,4]} -> {"return": [3,4]}


@kernel
def shifts2(x: i32, y: u8, k: index) -> (i32, i32, i32, index, u8):
    return x << y, x >> y, 1 << y, k << k, y >> 3


#: shifts2 {"x": -1, "y": 31, "k": 2} -> {"return": [-2147483648, -1, -2147483648, 8, 3]}


@kernel
def litpow(x: apint(3), y: i32) -> (i32, i32):
    return 2 ** x, 2 ** y


#: litpow {"x": 5, "y": 10} -> {"return": [32, 1024]}


@kernel
def cmp_lits(x: u8, y: i8) -> (u1, u1, u1, u1, u1):
    return x < 256, x >= 0, y < 128, y >= -128, y == 200


#: cmp_lits {"x": 255, "y": -1} -> {"return": [1, 1, 1, 1, 0]}


@kernel
def and_lits(x: i8, y: u8) -> (i8, u16, i16):
    return x & 0xF0, y | 0x100, y & -1


#: and_lits {"x": -1, "y": 3} -> {"return": [-16, 259, 3]}


@kernel
def minlit(x: u8, f: f32) -> (i16, f32, u8):
    return min(x, -1), max(f, 1), max(x, 1, 2)


#: minlit {"x": 5, "f": 0.5} -> {"return": [5, 1.0, 5]}
