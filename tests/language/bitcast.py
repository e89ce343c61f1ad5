# The same bits as another type.
import allo
from allo import *
from allo.operators import arith

u24 = apint(24)
i24 = apint(24, signed=True)
u23 = apint(23)
u33 = apint(33)


@kernel
def floats(x: f32, n: i32) -> (i32, f32, u32):
    return bitcast(x, i32), arith.bitcast(n, f32), bitcast(-n, u33) >> 1


#: floats {"x": 1.5, "n": 1078530011} -> {"return":[1069547520,3.1415927410125732,3755702290]}


@kernel
def narrow(h: f16, b: bf16, s: f8e4m3) -> (u16, i16, i8, f16):
    return bitcast(h, u16), bitcast(b, i16), bitcast(s, i8), bitcast(b, f16)


#: narrow {"h": 1.0, "b": -2.0, "s": -0.5} -> {"return": [15360, -16384, -80, -2.0]}


@kernel
def signs(x: i24, i: index) -> (u24, i64, index):
    return bitcast(x, u24), bitcast(i, i64), bitcast(bitcast(i, u64), index)


#: signs {"x": -1, "i": -5} -> {"return": [16777215, -5, -5]}


@kernel
def roots(x: "f32[4]") -> "f32[4]":
    guess: "i32[4]" = bitcast(x, i32)
    for i in range(4):
        guess[i] = 1597463007 - (guess[i] >> 1)
    return bitcast(guess, f32)


#: roots {"x": [1.0, 4.0, 0.25, 100.0]} -> {"return":[0.9662150740623474,0.4831075370311737,1.9324301481246948,0.10319875925779343]}


@kernel
def constants() -> (i32, f32, f32, f64, u64):
    return bitcast(1.5, i32), bitcast(0x3F800000, f32), bitcast(0xBF800000, f32), allo.bitcast(1 << 62, f64), bitcast(1.5, u64)


#: constants {} -> {"return": [1069547520, 1.0, -1.0, 2.0, 4609434218613702656]}


@kernel
def fields(x: f32) -> (u1, u8, u23):
    bits = bitcast(x, u32)
    return bits[31], bits[23:31], bits[0:23]


#: fields {"x": -6.5} -> {"return": [1, 129, 5242880]}
