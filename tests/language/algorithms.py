# Small algorithms of the kinds that benchmarks for hardware compilers are made of.
from allo.lang import *
from allo import kernel


@kernel
def count_matches(pattern: "u8[3]", text: "u8[12]", fail: "i32[3]") -> i32:
    k: i32 = 0
    matches: i32 = 0
    fail[0] = 0
    for q in range(1, 3):
        while k > 0 and pattern[k] != pattern[q]:
            k = fail[k - 1]
        if pattern[k] == pattern[q]:
            k += 1
        fail[q] = k
    k = 0
    for i in range(12):
        while k > 0 and pattern[k] != text[i]:
            k = fail[k - 1]
        if pattern[k] == text[i]:
            k += 1
        if k >= 3:
            matches += 1
            k = fail[k - 1]
    return matches


#: count_matches {"pattern": [1, 2, 1], "text": [1, 2, 1, 2, 1, 3, 1, 2, 1, 1, 2, 1], "fail": [0, 0, 0]} -> {"return": 4, "fail": [0, 0, 1]}


@kernel
def population(x: "u32[3]", y: "u8[3]"):
    for i in range(3):
        ones: u8 = 0
        for b in range(32):
            ones += x[i][b]
        y[i] = ones


#: population {"x": [0, 4294967295, 5], "y": [9, 9, 9]} -> {"y": [0, 32, 2]}

TAPS = [1, 2, 3]
NT = len(TAPS)


@kernel
def fir(x: "i16[6]", y: "i32[6]"):
    h: "i16[NT]" = TAPS
    line: "i16[NT]" = 0
    for n in range(6):
        for k in range(NT - 1, 0, -1):
            line[k] = line[k - 1]
        line[0] = x[n]
        acc: i32 = 0
        for k in range(NT):
            acc += line[k] * h[k]
        y[n] = acc


#: fir {"x": [1, 0, 0, -1, 2, 0], "y": [0, 0, 0, 0, 0, 0]} -> {"y": [1, 2, 3, -1, 0, 1]}


@kernel
def gcd(a: u32, b: u32) -> u32:
    while b != 0:
        a, b = b, a % b
    return a


#: gcd {"a": 1071, "b": 462} -> {"return": 21}
#: gcd {"a": 7, "b": 0} -> {"return": 7}


@kernel
def crc(data: "u8[3]") -> u32:
    c: u32 = 0xFFFFFFFF
    poly: u32 = 0xEDB88320
    for i in range(3):
        c ^= data[i]
        for b in range(8):
            c = (c >> 1) ^ (poly if c[0] else 0)
    return ~c


#: crc {"data": [97, 98, 99]} -> {"return": 891568578}


@kernel
def jacobi(a: "f32[6]", b: "f32[6]", steps: i32):
    for t in range(steps):
        for i in range(1, 5):
            b[i] = 0.5 * (a[i - 1] + a[i + 1])
        for i in range(1, 5):
            a[i] = b[i]


#: jacobi {"a": [0, 0, 0, 0, 0, 8], "b": [0, 0, 0, 0, 0, 0], "steps": 2} -> {"a": [0.0, 0.0, 0.0, 2.0, 4.0, 8.0]}


@kernel
def divide(a: i8, b: i8) -> (i8, i8, i8):
    return a / b, a // b, a % b


#: divide {"a": -7, "b": 2} -> {"return": [-3, -4, -1]}
#: divide {"a": 7, "b": 0} -> {"return": [-1, -1, 7]}
#: divide {"a": -128, "b": -1} -> {"return": [-128, -128, 0]}


@kernel
def powers(a: i8, b: i8) -> i8:
    return a**b


#: powers {"a": 3, "b": 5} -> {"return": -13}
#: powers {"a": -1, "b": -3} -> {"return": -1}
#: powers {"a": 2, "b": -1} -> {"return": 0}
#: powers {"a": 0, "b": 0} -> {"return": 1}


@kernel
def shifts(x: i8, n: i32) -> (i8, i8, u8):
    y: u8 = x
    return x << n, x >> n, y >> n


#: shifts {"x": -128, "n": 3} -> {"return": [0, -16, 16]}
#: shifts {"x": -128, "n": 300} -> {"return": [0, -1, 0]}
#: shifts {"x": -128, "n": -1} -> {"return": [0, -1, 0]}
