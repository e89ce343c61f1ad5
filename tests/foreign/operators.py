# Operators whose hardware is a module of the user's.
from allo import *


@operator_ip(latency=2, module="mac", source="mac.sv")
def mac(x: i16, y: i16, z: i32) -> i32:
    return x * y + z


@operator_ip(optype=None, latency=3, ii=1, module="scale_core", style="ce", source="scale.sv")
def scale(v: i16) -> i16:
    return (v * 3) >> 2


@operator_ip(latency=3, ii=3, module="step_core", style="elastic", source="gcd_step.sv")
def step(a: u8, b: u8) -> u8:
    if a > b:
        return a - b
    return b - a


@kernel
def dot(a: "i16[16]", b: "i16[16]") -> i32:
    total: i32 = 0
    for i in range(16):
        total = mac(a[i], scale(b[i]), total)
    return total


@kernel
def steps(a: "u8[16]", b: "u8[16]", c: "u8[16]"):
    for i in range(16):
        if a[i] != b[i]:
            c[i] = step(a[i], b[i])


@kernel
def doubled(s: Stream[i16, 2], t: Stream[i16, 2]):
    for i in range(16):
        t.put(scale(s.get()))


@kernel
def fixed() -> i32:
    return mac(3, -4, 5)
