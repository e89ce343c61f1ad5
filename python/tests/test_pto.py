"""Kernels of the style "pto": options, types and operations of `allo.pto`, and modules of the user's as operators."""

import numpy as np
import pytest
from allo import CompileError, KernelOptions, f32, i8, i32, kernel, operator_ip
from allo.pto import half, int8, mask, plt, tcvt, tile, tload, tmov, tstore, vadd, vlds, vmuls, vreg, vsts

import allo.pto

A5 = KernelOptions(typing_style="pto", profile="a5", lanes=4)
V = vreg[f32]
QUANTISED = tile(i8, 1, 32, valid=(1, 8))


@kernel(options=A5)
def axpy(a: f32, n: i32, x: f32[64], y: f32[64]):
    m: mask[64] = plt(64, n)
    s: V = vadd(vmuls(vlds(x, 0), a), vlds(y, 0), mask=m)
    vsts(s, y, 0, mask=m)


@kernel(options=A5)
def quantise(x: f32[1, 8], g: int8[1, 32]):
    t: tile(f32, 1, 32, valid=(1, 8))
    q: QUANTISED
    tload(t, x)
    tcvt(q, t, rnd="rna", sat=True)
    tstore(g, q)


@kernel(options=A5)
def nz(g: f32[16, 16], t: tile[f32, 16, 16], m: tile(f32, 16, 16, loc="mat")):
    tload(t, g)
    allo.pto.tadds(t, t, 1.0)
    tmov(m, t)


def test_vectors_and_masks_run_and_become_hardware():
    x = np.arange(64, dtype=np.float32)
    y = np.ones(64, np.float32)
    expected = np.where(np.arange(64) < 5, 2 * x + y, y)
    again = y.copy()
    axpy(2.0, 5, x, y)
    assert (y == expected).all()
    hardware = axpy.schedule().export("rtl")
    hardware(2.0, 5, x, again)
    assert (again == expected).all()
    assert hardware.cosim(vectors=2).compared > 64


def test_conversions_round_as_they_say():
    g = np.zeros((1, 32), np.int8)
    quantise(np.array([[-2.5, 2.5, 0.4, 300, -300, 1.5, 0.5, -0.5]], np.float32), g)
    assert g[0, :8].tolist() == [-3, 3, 0, 127, -128, 2, 1, -1] and not g[0, 8:].any()


def test_tiles_as_arguments_are_in_the_order_of_their_layout():
    g = np.arange(256, dtype=np.float32).reshape(16, 16)
    t, m = np.zeros(256, np.float32), np.zeros(256, np.float32)
    nz(g, t, m)
    assert (t == g.reshape(-1) + 1).all()
    boxes = t.reshape(16, 2, 8).transpose(1, 0, 2)
    assert (m == boxes.reshape(-1)).all()
    described = nz.schedule().export("rtl").manifest
    layouts = [argument["tile"]["layout"] for argument in described["args"] if "tile" in argument]
    assert layouts == ["nd", "nz"]


def test_types_are_objects_that_are_equal_by_what_they_say():
    assert half == allo.f16 and half[4].shape == (4,)
    assert vreg[f32] == V and vreg[f32] != vreg[i32]
    assert repr(QUANTISED) == "tile(i8, 1, 32, valid=(1, 8))"


def test_options_are_refused_where_the_style_has_none():
    @kernel(options=KernelOptions(typing_style="pto", fast_math=True))
    def fast(x: i32) -> i32:
        return x

    @kernel(options=KernelOptions(lanes=4))
    def lanes(x: i32) -> i32:
        return x

    @kernel(options=KernelOptions(typing_style="pto", lanes=3))
    def three(x: i32) -> i32:
        return x

    table = [
        (fast, "the option 'fast_math' stands without typing_style=\"pto\" only"),
        (lanes, "the option 'lanes' stands with typing_style=\"pto\" only"),
        (three, "the option 'lanes' cannot be 3"),
    ]
    for refused, message in table:
        with pytest.raises(CompileError) as error:
            refused(1)
        assert error.value.diagnostics[0].message == message
        assert error.value.diagnostics[0].line == refused.fn.__code__.co_firstlineno + 1


def test_operations_belong_to_their_style():
    @kernel
    def other(x: f32[64]):
        vsts(vlds(x, 0), x, 0)

    with pytest.raises(CompileError, match="pto"):
        other(np.zeros(64, np.float32))


@operator_ip(latency=2, ii=1, module="mac", source=None)
def mac(a: i32, b: i32, c: i32) -> i32:
    return a * b + c


def test_modules_of_the_users_are_operators():
    @kernel
    def dot(x: i32[8], y: i32[8]) -> i32:
        total: i32 = 0
        for i in range(8):
            total = mac(x[i], y[i], total)
        return total

    x, y = np.arange(8, dtype=np.int32), np.full(8, 3, np.int32)
    assert mac(2, 3, 4) == 10 and dot(x, y) == 84
    hardware = dot.schedule().export("rtl")
    assert hardware(x, y) == 84 and "mac u_mac (" in hardware.verilog


def test_what_a_module_lacks_is_an_error_at_the_function():
    @operator_ip(latency=2, modul="mac")
    def wrong(a: i32) -> i32:
        return a

    with pytest.raises(CompileError, match="@operator_ip has no parameter 'modul'"):
        wrong(1)
