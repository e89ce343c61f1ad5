"""Schedules, and what is exported of them."""

import json

import numpy as np
import pytest

import allo
from allo import f32, i32, kernel
from allo.schedule import Schedule
from allo.schedule.errors import (
    AmbiguousLookupError,
    ConsumedHandleError,
    InvalidScheduleArgumentError,
    ScheduleLookupError,
    ScheduleStateError,
    ScheduleTypeError,
)

M, N = 6, 8


@kernel
def add(A: i32[M, N], B: i32[M, N], C: i32[M, N]):
    for i in range(M, name="i"):
        for j in range(N, name="j"):
            C[i, j] = A[i, j] + B[i, j]


@kernel
def gemm(A: f32[4, 4], B: f32[4, 4], C: f32[4, 4]):
    for i in range(4, name="i"):
        for j in range(4, name="j"):
            for k in range(4, name="k"):
                C[i, j] += A[i, k] * B[k, j]


def run_add(module):
    rng = np.random.default_rng(1)
    A, B = (rng.integers(0, 10, (M, N), dtype=np.int32) for _ in "AB")
    C = np.zeros((M, N), np.int32)
    module(A, B, C)
    np.testing.assert_array_equal(C, A + B)


def test_structural_primitives_give_references():
    s = add.schedule()
    i, j = s.loops("i", "j")
    assert (i.name, j.name) == ("i", "j") and s.loop("i") == i and i != j
    outer, inner = s.split(j, factor=3)
    assert (outer.name, inner.name) == ("j.outer", "j.inner")
    s.reorder((outer, i))
    run_add(s.export("cpu"))
    run_add(s)
    tiles, points = add.schedule().tile(("i", "j"), factors=[2, 4])
    assert [len(tiles), len(points)] == [2, 2]
    flat = add.schedule()
    flat.flatten(flat.loops())
    run_add(flat.export("cpu"))
    assert flat.payload.count("for ") == 1


def test_tags_chain_and_are_directives():
    s = add.schedule()
    assert s.pipeline("j", ii=2) is s
    s.partition(s.buffer("A"), dim=2, kind=s.Cyclic, factor=2).unroll("j", factor=2, tag_only=True)
    assert s.apply() is s
    assert 'kind = "partition"' in s.directives and 'type = "cyclic"' in s.directives
    assert s.Cyclic is Schedule.Cyclic


def test_errors_have_the_published_classes():
    s = add.schedule()
    with pytest.raises(ScheduleLookupError, match="'x'") as caught:
        s.loop("x")
    assert isinstance(caught.value, LookupError) and caught.value.diagnostics[0].code == "E0801"
    with pytest.raises(ScheduleStateError):
        s.loop("i")
    with pytest.raises(ScheduleStateError, match="an earlier call"):
        s.export("cpu")
    s = add.schedule()
    j = s.loop("j")
    s.split(j, factor=2)
    with pytest.raises(ConsumedHandleError):
        s.unroll(j)
    with pytest.raises(ScheduleTypeError, match="another schedule"):
        add.schedule().unroll(j)
    with pytest.raises(InvalidScheduleArgumentError, match="no parameter 'speed'"):
        add.schedule().pipeline("j", speed=2)
    with pytest.raises(InvalidScheduleArgumentError):
        add.schedule().split("j", factor=0)
    with pytest.raises(AttributeError):
        add.schedule().nothing()

    @kernel
    def twice(A: i32[4]):
        for i in range(4):
            A[i] += 1
        for i in range(4):
            A[i] += 1

    with pytest.raises(AmbiguousLookupError):
        twice.schedule().loop("i")


def test_compose():
    @kernel
    def worker(a: i32[16], b: i32[16]):
        for i in range(16, name="i"):
            b[i] = a[i] + 1

    @kernel
    def top(A: i32[16], B: i32[16]):
        worker(A, B)

    inner = worker.schedule()
    inner.pipeline(inner.loop("i"), ii=2)
    outer = top.schedule()
    outer.compose(inner)
    assert "ii = 2" in outer.directives
    with pytest.raises(ScheduleLookupError):
        add.schedule().compose(inner)


def test_an_unspecialised_kernel_has_no_schedule():
    T = allo.Template("T")

    @kernel(T)
    def top(A: T[4]):
        A[0] = 1

    with pytest.raises(TypeError):
        top.schedule()
    assert top[i32].schedule().payload


def test_hardware(tmp_path):
    s = gemm.schedule()
    s.pipeline("j", ii=2)
    module = s.export("rtl", freq_mhz=100, device="ecp5")
    rng = np.random.default_rng(2)
    A, B = (rng.random((4, 4), dtype=np.float32) for _ in "AB")
    hard, soft = np.zeros((4, 4), np.float32), np.zeros((4, 4), np.float32)
    assert module.cycles is None
    module(A, B, hard)
    gemm(A, B, soft)
    np.testing.assert_array_equal(hard, soft)
    assert module.cycles == module.manifest["latency"]["max"]
    assert "module gemm" in module.verilog and module.manifest["top"] == "gemm"
    assert [row["name"] for row in module.schedule_table()] == [r["name"] for r in module.manifest["loops"]]
    resources = module.resources()
    assert resources["luts"] > 100 and resources["dsp"] > 0 and resources["device"] == "ecp5"
    compared = module.cosim(vectors=2)
    assert len(compared.all_cycles) == 2 and compared.compared > 0 and "all equal" in str(compared)
    hard[:] = 0
    assert module.cosim(A, B, hard).cycles == module.cycles
    np.testing.assert_array_equal(hard, soft)
    report = module.report(trials=0)
    assert "LUT4" in str(report) and "<iframe srcdoc=" in report._repr_html_()
    assert json.loads(report.json)["version"] == 1 and "<svg" in report.html
    paths = module.write(tmp_path / "out")
    assert sorted(p.name for p in paths) == ["gemm.json", "gemm.sv", "gemm.toml"]
    assert (tmp_path / "out" / "gemm.sv").read_text() == module.verilog
    assert "test_schedules.py" in module.verilog.splitlines()[0]


def test_proof():
    @kernel
    def mac(a: i32, b: i32, c: i32) -> i32:
        return a * b + c

    module = mac.schedule().export("rtl")
    proof = module.prove(time=20)
    assert proof and proof.compared >= 32
    assert module(3, 4, 5) == 17
    # A float product is more than the prover takes on in no time.
    assert not gemm.schedule().export("rtl", check="off").prove(time=0.01)


def test_options_of_export():
    s = add.schedule()
    with pytest.raises(ValueError, match="no backend 'vhdl'"):
        s.export("vhdl")
    with pytest.raises(TypeError, match="no option 'speed'"):
        s.export("rtl", speed=1)
    with pytest.raises(ValueError, match="clock"):
        s.export("rtl", clock="fast")
    with pytest.raises(allo.CompileError, match="E|device"):
        s.export("rtl", device="nothing")
    with pytest.raises(ValueError, match="float_reassoc"):
        s.export("rtl", float_reassoc=True)


def test_an_impossible_interval_warns_or_is_refused():
    @kernel
    def running(x: f32[8]) -> f32:
        s: f32 = 0.0
        for i in range(8, name="i"):
            s += x[i]
        return s

    s = running.schedule()
    s.pipeline("i", ii=1)
    with pytest.warns(allo.CompileWarning, match="interval"):
        s.export("rtl", level=1)
    with pytest.raises(allo.CompileError):
        s.export("rtl", level=1, strict=True)


def test_the_schedule_of_a_grid_is_composed_for_all_its_workers():
    @kernel(mapping=[2])
    def pe(x: i32[8], y: i32[8]):
        w = allo.get_wid(0)
        for k in allo.range(4, name="k"):
            y[w * 4 + k] = x[w * 4 + k] + 1

    @kernel
    def top(x: i32[8], y: i32[8]):
        pe(x, y)

    inner = pe.schedule()
    inner.unroll("k", factor=2)
    with pytest.raises(TypeError, match="this schedule is of a grid of workers"):
        inner.export("rtl")
    s = top.schedule()
    s.compose(inner)
    assert s.directives.count("unroll") == 2
    x, y = np.arange(8, dtype=np.int32), np.zeros(8, np.int32)
    s.export("rtl")(x, y)
    assert y.tolist() == list(range(1, 9))


def test_one_loop_is_a_tile_and_references_come_from_any_iterator():
    @kernel
    def add(x: i32[8]):
        for i in allo.range(8, name="i"):
            x[i] += 1

    s = add.schedule()
    tiles, points = s.tile((name for name in ["i"]), factors=[4])
    assert [one.name for one in [*tiles, *points]] == ["i.outer", "i.inner"]


def test_options_of_an_export_have_types():
    @kernel
    def add(x: i32) -> i32:
        return x + 1

    for name, value in {"clock": None, "device": None, "strict": 1, "max_dsp": "4", "check": True}.items():
        with pytest.raises(TypeError, match=f"export: {name}= is "):
            add.schedule().export("rtl", **{name: value})
    with pytest.raises(ValueError, match="max_dsp= is not negative"):
        add.schedule().export("rtl", max_dsp=-1)
