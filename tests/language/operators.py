# Casts, literals and operators: a line for each rule.
import allo
from allo import *
import math


@kernel
def cast_int(a: i8, b: u8) -> (i16, u16, i4, u4, index, u16, i16):
    return a, b, a, b, a, a, b


#: cast_int {"a": -1, "b": 255} -> {"return": [-1, 255, -1, 15, -1, 65535, 255]}


@kernel
def cast_index(a: index) -> (i8, u8, f32, u64, bool):
    return a, a, a, a, a


#: cast_index {"a": -3} -> {"return": [-3, 253, -3.0, 18446744073709551613, 1]}


@kernel
def cast_f2i(a: f32) -> (i8, u8, u1, index, i64, bool):
    return a, a, a, a, a, a


#: cast_f2i {"a": -3.9} -> {"return": [-3, 0, 0, -3, -3, 0]}
#: cast_f2i {"a": 300.5} -> {"return": [127, 255, 1, 300, 300, 1]}
#: cast_f2i {"a": "nan"} -> {"return": [0, 0, 0, 0, 0, 0]}
#: cast_f2i {"a": "inf"} -> {"return": [127, 255, 1, 9223372036854775807, 9223372036854775807, 1]}
#: cast_f2i {"a": 0.99} -> {"return": [0, 0, 0, 0, 0, 0]}


@kernel
def cast_ff(a: f32) -> (f16, bf16, f64):
    return a, a, a


#: cast_ff {"a": 70000.0} -> {"return":["inf",70144.0,70000.0]}


@kernel
def cast_f16bf16(a: f16) -> (bf16, f16):
    b: bf16 = a
    return b, b


#: cast_f16bf16 {"a": 1.0009765625} -> {"return": [1.0, 1.0]}


@kernel
def bool_by_assign(a: i32) -> (bool, u1, i32, i32):
    r: i32 = 0
    if a:
        r = 1
    return a, a, r, not a


#: bool_by_assign {"a": 2} -> {"return": [0, 0, 1, 0]}


@kernel
def nonzero_f(a: f32) -> (i32, u1, u1, u1):
    r: i32 = 0
    if a:
        r = 1
    return r, not a, a and 1, a or 0


#: nonzero_f {"a": "nan"} -> {"return": [1, 0, 1, 1]}
#: nonzero_f {"a": -0.0} -> {"return": [0, 1, 0, 0]}


@kernel
def lit1(a: u8, b: i8, c: i32) -> (u1, i16, u16, i16, i32, i64):
    return a == 300, a + 300, a + 300, a - 1, c & 0xFFFFFFFF, c + 0xFFFFFFFF


#: lit1 {"a": 255, "b": 0, "c": -1} -> {"return": [0, 555, 555, 254, -1, 4294967294]}


@kernel
def lit2(a: u8) -> (u1, u1, u1):
    return a > -1, a == -1, a < -1


#: lit2 {"a": 255} -> {"return": [0, 1, 0]}
#: lit2 {"a": 3} -> {"return": [0, 0, 1]}


@kernel
def lit3(a: i32, b: i64) -> (f32, f64, f32):
    return a * 0.1, b * 0.1, a * 2.0


#: lit3 {"a": 3, "b": 3} -> {"return":[0.30000001192092896,0.30000000000000004,6.0]}


@kernel
def lit4(n: u3, m: i32, k: index) -> (i32, i32, i64):
    return 1 << n, 1 << m, 1 << k


#: lit4 {"n": 7, "m": 31, "k": 40} -> {"return": [128, -2147483648, 1099511627776]}


@kernel
def lit5(x: i8) -> (i8, i8, i8):
    return x << 300, x >> 300, x >> -1


#: lit5 {"x": -5} -> {"return": [0, -1, -1]}


@kernel
def lit6(a: i32) -> (i32, i32):
    x: u8 = 0xFF
    y: i8 = 0xFF
    return x, y


#: lit6 {"a": 0} -> {"return": [255, -1]}


@kernel
def lit7(a: f16) -> (f16, f16, u1):
    return a + 0.1, a * 3, a == 0.1


#: lit7 {"a": 0.1} -> {"return":[0.199951171875,0.2998046875,1]}


@kernel
def lit8(a: u1) -> (i8, i8):
    return a + True, a - True


#: lit8 {"a": 1} -> {"return": [2, 0]}
#: lit8 {"a": 0} -> {"return": [1, -1]}


@kernel
def div(a: i8, b: i8) -> (i8, i8, i8):
    return a / b, a // b, a % b


#: div {"a": -7, "b": 2} -> {"return": [-3, -4, -1]}
#: div {"a": 7, "b": -2} -> {"return": [-3, -4, 1]}
#: div {"a": -7, "b": 0} -> {"return": [-1, -1, -7]}
#: div {"a": -128, "b": -1} -> {"return": [-128, -128, 0]}


@kernel
def divu(a: u8, b: u8) -> (u8, u8, u8):
    return a / b, a // b, a % b


#: divu {"a": 200, "b": 0} -> {"return": [255, 255, 200]}
#: divu {"a": 200, "b": 7} -> {"return": [28, 28, 4]}


@kernel
def divmix(a: i8, b: u8) -> (u8, u8, u8):
    return a / b, a // b, a % b


#: divmix {"a": -1, "b": 2} -> {"return": [127, 127, 1]}


@kernel
def pows(a: i8, b: i8) -> i8:
    return a ** b


#: pows {"a": 3, "b": 5} -> {"return": -13}
#: pows {"a": -1, "b": -3} -> {"return": -1}
#: pows {"a": -1, "b": -4} -> {"return": 1}
#: pows {"a": 1, "b": -4} -> {"return": 1}
#: pows {"a": 2, "b": -4} -> {"return": 0}
#: pows {"a": 0, "b": -4} -> {"return": 0}
#: pows {"a": 0, "b": 0} -> {"return": 1}


@kernel
def shifts(a: i8, n: i32) -> (i8, i8, u8, u8):
    b: u8 = a
    return a << n, a >> n, b << n, b >> n


#: shifts {"a": -128, "n": 9} -> {"return": [0, -1, 0, 0]}
#: shifts {"a": -128, "n": -1} -> {"return": [0, -1, 0, 0]}
#: shifts {"a": -128, "n": 256} -> {"return": [0, -1, 0, 0]}
#: shifts {"a": -128, "n": 7} -> {"return": [0, -1, 0, 1]}


@kernel
def cmps(a: i32, b: u32, c: index) -> (u1, u1, u1, u1):
    return a < b, a > b, c < 0, c > a


#: cmps {"a": -1, "b": 1, "c": -5} -> {"return": [0, 1, 1, 0]}


@kernel
def unary(a: i8, b: u8) -> (i16, i16, i8, u8, i8, u8, i8):
    return -a, -b, ~a, ~b, abs(a), abs(b), +a


#: unary {"a": -128, "b": 255} -> {"return": [128, -255, 127, 0, -128, 255, -128]}


@kernel(options=KernelOptions(typing_style="cpp"))
def unary_cpp(a: i8, b: u8, c: index) -> (i16, i16, index):
    return -a, -b, -c


#: unary_cpp {"a": -128, "b": 255, "c": 4} -> {"return": [-128, 1, -4]}


@kernel
def chain(a: u8, b: u8, c: u8, f: f32) -> (i32, i32, f32, i32):
    return a - b - c, a - (b - c), f + (a + b + c), (a + b) * c


#: chain {"a": 1, "b": 2, "c": 3, "f": 0.5} -> {"return": [-4, 2, 6.5, 9]}


@kernel(options=KernelOptions(typing_style="cpp"))
def chain_cpp(a: u8, b: u8, c: i16) -> (i32, i32, i32):
    return a + b, a - b, a * b + c


#: chain_cpp {"a": 200, "b": 100, "c": -1} -> {"return": [44, 100, 31]}
#: chain_cpp {"a": 1, "b": 2, "c": -1} -> {"return": [3, 255, 1]}


@kernel
def idx(a: index, b: i8, c: u64) -> (index, index, index, index):
    return a + b, a * b, a - c, a // b


#: idx {"a": 9223372036854775807, "b": 2, "c": 1} -> {"return": [-9223372036854775807, -2, 9223372036854775806, 4611686018427387903]}


@kernel
def minmax(a: i8, b: u8, c: i16) -> (i32, i32, i32):
    return min(a, b), max(a, b, c), min(a, 5)


#: minmax {"a": -1, "b": 10, "c": -300} -> {"return": [10, 255, -1]}


@kernel
def bits(x: i8, i: index) -> (u1, u1, i8, i8):
    y: i8 = x
    y[7] = 1
    z: i8 = x
    z[i] = 2
    return x[7], x[i], y, z


#: bits {"x": 1, "i": 0} -> {"return": [0, 1, -127, 0]}
#: bits {"x": 1, "i": 8} -> {"return": [0, 0, -127, 1]}


@kernel
def bitr(x: u16, i: i32, a: "u16[2]") -> (u4, u4, u8, u3):
    return x[i:i + 4], x[2 * i:2 * i + 4], a[1][8:16], x[i - 1:i + 2]


#: bitr {"x": 43981, "i": 4, "a": [0, 4660]} -> {"return": [12, 11, 18, 1]}
#: bitr {"x": 43981, "i": 14, "a": [0, 4660]} -> {"return": [2, 0, 18, 5]}
#: bitr {"x": 65535, "i": -2, "a": [0, 4660]} -> {"return": [12, 0, 18, 0]}


@kernel
def fl(a: f32, b: f32) -> (f32, f32, f32, f32, f32):
    return a / b, a // b, a % b, min(a, b), max(a, b)


#: fl {"a": -7.5, "b": 2.0} -> {"return": [-3.75, -4.0, -1.5, -7.5, 2.0]}
#: fl {"a": "nan", "b": 2.0} -> {"return": ["nan", "nan", "nan", 2.0, 2.0]}
#: fl {"a": -0.0, "b": 0.0} -> {"return": ["nan", "nan", "nan", -0.0, 0.0]}
#: fl {"a": 1.0, "b": 0.0} -> {"return": ["inf", "inf", "nan", 0.0, 1.0]}
#: fl {"a": 5.0, "b": "inf"} -> {"return": [0.0, 0.0, 5.0, 5.0, "inf"]}


@kernel
def fcmp(a: f32, b: f32) -> (u1, u1, u1, u1, u1, u1):
    return a == b, a != b, a < b, a <= b, a > b, a >= b


#: fcmp {"a": "nan", "b": 1.0} -> {"return": [0, 1, 0, 0, 0, 0]}
#: fcmp {"a": 0.0, "b": -0.0} -> {"return": [1, 0, 0, 1, 0, 1]}


@kernel
def fcmp2(a: f32, b: f32) -> (u1, u1, u1, u1):
    return allo.arith.ne(a, b, ordered=True), allo.arith.eq(a, b, ordered=False), allo.arith.lt(a, b, ordered=False), allo.arith.ge(a, b, ordered=False)


#: fcmp2 {"a": "nan", "b": 1.0} -> {"return": [0, 1, 1, 1]}
#: fcmp2 {"a": 2.0, "b": 1.0} -> {"return": [1, 0, 0, 1]}


@kernel
def fminnan(a: f32, b: f32) -> (f32, f32, f32):
    return allo.min(a, b, propagate_nan=True), allo.max(a, b, propagate_nan=True), allo.arith.max(a, b, propagate_nan=True)


#: fminnan {"a": "nan", "b": 1.0} -> {"return": ["nan", "nan", "nan"]}


@kernel
def ffc(a: f32) -> (f32, f32, f32, f32):
    return allo.math.floor(a), allo.math.ceil(a), -a, abs(a)


#: ffc {"a": -1.5} -> {"return": [-2.0, -1.0, 1.5, 1.5]}
#: ffc {"a": -0.0} -> {"return": [-0.0, -0.0, 0.0, 0.0]}


@kernel
def fi(a: f16, b: i64) -> (f16, f16):
    return a + b, b / a


#: fi {"a": 2.0, "b": 3} -> {"return": [5.0, 1.5]}


#: known_sides {"b": 4} -> {"return": [0, 0, 1, 1, 1, 3, 6, 8]}
#: known_sides {"b": 0} -> {"return": [0, 0, 1, 0, 1, 3, 6, 8]}
@kernel
def known_sides(b: i8) -> "i32[8]":
    """What a constant side of `and` or `or` decides is of type u1, and what depends on it is known."""
    y: "i32[8]" = 0
    y[0] = ~(b or 1)
    y[1] = (b or 1) << 4
    y[2] = -3 or b
    y[3] = 7 and b
    y[4] = ~(b and 0)
    if b or 1:
        y[5] = 3
    else:
        y[5] = undefined(b)
    y[6] = 5 if (0 and b) else 6
    y[7] = 0 or 8
    return y
