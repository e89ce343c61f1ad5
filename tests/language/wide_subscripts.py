"""Subscripts of more than 64 bits keep their exact value until they are compared."""

from allo import apint, i8, i32, kernel, u4, u8, u64, u128

i96 = apint(96, signed=True)
u65 = apint(65)


#: bit {"x": 255, "w": 18446744073709551619} -> {"return": 0}
#: bit {"x": 255, "w": 3} -> {"return": 1}
#: bit {"x": 255, "w": -18446744073709551613} -> {"return": 0}
@kernel
def bit(x: u8, w: i96) -> u8:
    r: u8 = x[w]
    return r


#: set_bit {"x": 0, "w": 18446744073709551619} -> {"return": 0}
#: set_bit {"x": 0, "w": 3} -> {"return": 8}
@kernel
def set_bit(x: u8, w: i96) -> u8:
    y: u8 = x
    y[w] = 1
    return y


#: bits {"x": 255, "w": 18446744073709551616} -> {"return": 0}
#: bits {"x": 165, "w": 2} -> {"return": 9}
#: bits {"x": 255, "w": -2} -> {"return": 12}
@kernel
def bits(x: u8, w: i96) -> u4:
    return x[w : w + 4]


#: load {"a": [7, 8], "w": 18446744073709551617, "default": -1} -> {"return": -1}
#: load {"a": [7, 8], "w": 1, "default": -1} -> {"return": 8}
@kernel
def load(a: "i32[2]", w: u65, default: i32) -> i32:
    inside = w < 2
    return a[w] if inside else default


#: store {"a": [7, 8], "w": 18446744073709551617} -> {"a": [7, 8]}
#: store {"a": [7, 8], "w": 1} -> {"a": [7, 5]}
@kernel
def store(a: "i32[2]", w: u65):
    a[w] = 5


# The sum of two 64-bit numbers has 65 bits.
#: store_sum {"a": [7, 8], "v": 18446744073709551615} -> {"a": [7, 8]}
#: store_sum {"a": [7, 8], "v": 0} -> {"a": [7, 5]}
@kernel
def store_sum(a: "i32[2]", v: u64):
    a[v + 1] = 5


# As an index of 64 bits, the first bit would be -1, and the second one bit 0.
#: bits_of_unsigned {"x": 255, "w": 18446744073709551615, "v": 340282366920938463463374607431768211455} -> {"return": [0, 0]}
#: bits_of_unsigned {"x": 165, "w": 2, "v": 4} -> {"return": [9, 10]}
#: bits_of_unsigned {"x": 165, "w": 0, "v": 18446744073709551616} -> {"return": [5, 0]}
@kernel
def bits_of_unsigned(x: u8, w: u64, v: u128) -> (u4, u4):
    return x[w : w + 4], x[v : v + 4]


#: set_bits_of_unsigned {"x": 0, "w": 18446744073709551615} -> {"return": 0}
#: set_bits_of_unsigned {"x": 0, "w": 6} -> {"return": 192}
@kernel
def set_bits_of_unsigned(x: u8, w: u64) -> u8:
    y: u8 = x
    y[w : w + 4] = 15
    return y
