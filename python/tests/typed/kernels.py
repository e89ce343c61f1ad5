"""What type checkers have to accept in strict mode: kernels, schedules, hardware. It runs, too."""

import numpy as np
from allo import CompileError, KernelOptions, Stream, Template, consteval, f32, grid, i32, kernel, math, u8
from allo import operator_ip
from allo.backend import CosimResult
from allo.lang import range as loop
from allo.pto import mask, plt, vadd, vlds, vreg, vsts
from allo.schedule import LoopRef, Schedule

N = 4


@consteval
def square(n: int) -> int:
    return n * n


@kernel
def inner(x: f32, amount: i32) -> f32:
    return math.sqrt(x) + amount


@kernel(options=KernelOptions(typing_style="cpp"))
def shapes(a: f32, x: f32[16], y: f32[N, 4], out: f32[16], v: f32[N]) -> i32:
    total: f32 = 0.0
    buffer: i32[4] = 0
    k: i32 = square(2)
    for i in loop(16, name="i"):
        out[i] = a * x[i] + y[0, 1] - v[2]
        total += x[i]
        buffer[i & 3] += 1
    for i, j in grid(4, 4):
        y[i, j] = inner(y[i, j], k)
    while k < 9:
        k = k + 1
    if total > 3 and not k < 2:
        k = -k
    bit: u8 = k
    bit[0] = 1
    return k + buffer[2] * bit[0]


@kernel
def streaming(src: Stream[i32, 4], dst: Stream[i32]) -> None:
    for _ in range(3):
        dst.put(src.get() + 1)


K = Template("K")


@kernel(K)
def generic(x: i32[4]) -> i32:
    return x[0] + K


@kernel(options=KernelOptions(typing_style="pto", profile="a5", lanes=4))
def added(n: i32, x: f32[64], y: f32[64]) -> None:
    m: mask[64] = plt(64, n)
    s: vreg[f32] = vadd(vlds(x, 0), vlds(y, 0), mask=m)
    vsts(s, y, 0, m)


@operator_ip(latency=2, module="increment")
def increment(x: i32) -> i32:
    return x + 1


def use() -> int:
    x = np.ones(16, np.float32)
    y = np.ones((4, 4), np.float32)
    number: int = shapes(1.0, x, y, np.zeros(16, np.float32), np.ones(4, np.float32))
    number += generic[3](np.ones(4, np.int32))
    schedule = inner.schedule()
    assert isinstance(schedule, Schedule)
    module = schedule.export("rtl", clock="50MHz", check="off")
    result: float = module(4.0, 1)
    cycles: int | None = module.cycles
    compared: CosimResult = module.cosim(vectors=1)
    text: str = module.verilog + module.manifest["top"] + str(module.report())
    assert result == 3.0 and cycles is not None and compared.cycles == cycles and text
    loops: tuple[LoopRef, ...] = generic[3].schedule().loops()
    assert not loops
    try:
        shapes.schedule().export("cpu")
    except CompileError as error:
        print(error.diagnostics[0].line)
    ones = np.ones(64, np.float32)
    added(3, np.ones(64, np.float32), ones)
    number += increment(int(ones.sum()))
    return number


if __name__ == "__main__":
    print(use())
