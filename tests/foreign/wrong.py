# Modules that are not what is said of them.
from allo import *


@operator_ip(latency=3, module="mac", source="mac.sv")
def late(x: i16, y: i16, z: i32) -> i32:
    return x * y + z


@operator_ip(latency=2, module="mac", source="mac.sv")
def other_port(x: i16, y: i16, w: i32) -> i32:
    return x * y + w


@operator_ip(latency=2, module="mac", source="mac.sv")
def other_meaning(x: i16, y: i16, z: i32) -> i32:
    return x * y - z


@kernel
def latency(a: "i16[16]", b: "i16[16]", c: "i32[16]"):
    for i in range(16):
        c[i] = late(a[i], b[i], 7)


@kernel
def port(a: "i16[16]", b: "i16[16]", c: "i32[16]"):
    for i in range(16):
        c[i] = other_port(a[i], b[i], 7)


@kernel
def meaning(a: "i16[16]", b: "i16[16]", c: "i32[16]"):
    for i in range(16):
        c[i] = other_meaning(a[i], b[i], 7)
