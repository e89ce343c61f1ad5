"""What both the built-in evaluator and CPython evaluate."""
from dataclasses import dataclass

from allo import KernelOptions, Template, apint, consteval, f32, i32, operator_ip, u8
from allo.lang.kernel import kernel

T = Template("T")
N = Template("N")
SIZE = 4
BIG = 2**100 + 1
TABLE = [i * i for i in range(SIZE)]
NAMES = {"a": 3, "b": (1.5, None)}
OPTIONS = KernelOptions(typing_style="cpp")
ELEM = apint(12, signed=True)


@dataclass(frozen=True)
class Config:
    width: int = 8

    @property
    def mask(self):
        return (1 << self.width) - 1


CONFIG = Config(4)


@consteval
def cube(n, offset=0):
    return n**3 + offset


@kernel(options=OPTIONS)
def wrapped(a: u8, b: u8) -> i32:
    return a + b


@kernel(T, N)
def fill(x: T) -> T:
    t: "T[N]" = x
    return t[N - 1]


fill_four = fill[i32, 4]


@kernel
def mixed(i: i32) -> i32:
    table: "i32[SIZE]" = TABLE
    wide: ELEM = NAMES["a"] + CONFIG.mask
    return table[i] + cube(2, offset=1) + wide + fill_four(i)


@operator_ip(latency=SIZE - 2, module="twice_core")
def twice(x: i32) -> i32:
    return x * 2


@kernel
def doubled(x: i32) -> i32:
    return twice(x)
