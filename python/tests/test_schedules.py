"""Schedules, and what is exported of them."""

import json

import numpy as np
import pytest

import allo
from allo import CompileError, CompileNote, f32, i32, kernel
from allo.schedule import Schedule
from allo.schedule.errors import (
    AmbiguousLookupError,
    ConsumedHandleError,
    InvalidScheduleArgumentError,
    ScheduleLookupError,
    ScheduleTransformError,
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
    assert s.loop("i").name == "i"
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
    luts = next(one for one in json.loads(report.json)["summary"]["estimates"] if one["name"] == "LUT4")
    assert resources["luts"] == luts["value"]
    # Links stay within the frame.
    assert "base href=&quot;about:srcdoc&quot;" in report._repr_html_()
    with pytest.raises(ValueError, match="vectors= is at least 1"):
        module.cosim(vectors=0)
    with pytest.raises(ValueError, match="written as FST"):
        module.cosim(vectors=1, waveform="wave.vcd")
    with pytest.raises(TypeError, match="say the same thing"):
        gemm.schedule().export("rtl", clock="100MHz", freq_mhz=50)
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
    with pytest.raises(TypeError, match="clock= is an option of hardware"):
        s.export("cpu", clock="100MHz")
    with pytest.raises(TypeError, match="speed= is no option"):
        s.export("cpu", speed=1)
    assert s.export("cpu", opt_level=3)


def test_what_a_comparison_takes():
    m = add.schedule().export("rtl")
    for named, error, message in (
        ({"vectors": "3"}, TypeError, "vectors= is a number, not '3'"),
        ({"vectors": 0}, ValueError, "vectors= is at least 1, but it is 0"),
        ({"seed": 2**64}, ValueError, "seed= has 64 bits at most"),
    ):
        with pytest.raises(error, match=message):
            m.cosim(**named)
    assert m.cosim(vectors=np.int64(1), seed=2**64 - 1).compared


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

    for name, value in {"clock": [], "device": 5, "strict": 1, "max_dsp": "4", "check": True}.items():
        with pytest.raises(TypeError, match=f"export: {name}= is "):
            add.schedule().export("rtl", **{name: value})
    with pytest.raises(ValueError, match="max_dsp= is not negative"):
        add.schedule().export("rtl", max_dsp=-1)


def test_a_call_that_fails_leaves_the_schedule_as_it_was():
    s = add.schedule()
    before = s.payload
    with pytest.raises(ScheduleTransformError):
        s.compute_at("j", "i")
    with pytest.raises(ScheduleLookupError):
        s.pipeline(("j", "x"))
    assert s.payload == before and "pipeline" not in s.directives
    s.pipeline("j")
    assert s.directives.count("pipeline") == 1


def test_published_names_and_defaults_of_parameters():
    @kernel
    def one(A: i32[16]):
        for i in range(16, name="i"):
            A[i] = A[i] + 1

    outer, inner = one.schedule().split(factor=4)
    assert (outer.name, inner.name) == ("i.outer", "i.inner")
    assert 'kind = "unroll"' in one.schedule().unroll().directives
    assert 'loop = "i"' in one.schedule().pipeline(targets="i").directives
    assert one.schedule().split(target="i", factor=2)[0].name == "i.outer"
    with pytest.raises(InvalidScheduleArgumentError, match="twice"):
        one.schedule().split("i", target="i", factor=2)
    with pytest.raises(AmbiguousLookupError):
        add.schedule().unroll()


def test_loops_are_those_inside_of_what_is_said():
    s = add.schedule()
    assert [one.name for one in s.loops()] == ["i", "j"]
    assert [one.name for one in s.loops(under="i")] == ["j"]
    assert [one.name for one in s.loops(path="i")] == ["j"]
    assert s.loops(under="j") == ()
    with pytest.raises(ScheduleLookupError):
        s.loops(under="no such")
    with pytest.raises(ScheduleLookupError):
        s.op("i", under="j")


def _stage(n, size):
    @kernel
    def stage(x: i32[size]):
        for i in range(size, name="i"):
            x[i] = x[i] * n

    return stage


@pytest.mark.parametrize("number", [None, 1, "1"])
def test_a_schedule_is_that_of_its_kernel_among_those_of_its_name(number):
    f, g = _stage(2, 8), _stage(3, 16)

    @kernel
    def top(x: i32[8], y: i32[16]):
        f(x)
        g(y)

    of_g = g.schedule()
    of_g.pipeline("i", ii=5)
    s = top.schedule()
    s.compose(of_g, id=number)
    loops = s.export("rtl").schedule_table()
    assert [(one["trip"][0], one["ii"] == 5) for one in loops] == [(8, False), (16, True)]


def test_partitions_of_one_array_by_two_kernels_are_joined():
    @kernel
    def put(x: i32[8, 8], t: i32[8, 8]):
        for i in range(8, name="i"):
            for j in range(8, name="j"):
                t[i, j] = x[i, j] + 1

    @kernel
    def take(t: i32[8, 8], y: i32[8, 8]):
        for i in range(8, name="i"):
            for j in range(8, name="j"):
                y[i, j] = t[i, j] * 2

    @kernel
    def top(x: i32[8, 8], y: i32[8, 8]):
        t: i32[8, 8]
        put(x, t)
        take(t, y)

    def built(one, other):
        a, b = put.schedule(), take.schedule()
        a.partition("t", **one(a))
        b.partition("t", **other(b))
        s = top.schedule()
        s.compose(a, b)
        return s.export("rtl")

    for one, other in [
        (lambda s: dict(dim=1, kind=s.Cyclic, factor=2), lambda s: dict(dim=2, kind=s.Cyclic, factor=2)),
        (lambda s: dict(dim=1, kind=s.Cyclic, factor=4), lambda s: dict(dim=1, kind=s.Cyclic, factor=2)),
        (lambda s: dict(dim=1, kind=s.Block, factor=2), lambda s: dict(dim=1, kind=s.Complete)),
    ]:
        assert built(one, other).cosim(vectors=2).compared > 0
    with pytest.raises(CompileError, match="split in another way"):
        built(lambda s: dict(dim=1, kind=s.Block, factor=2), lambda s: dict(dim=1, kind=s.Cyclic, factor=2))


def test_storage_that_published_programs_name():
    @kernel
    def filled(A: i32[16], C: i32[16]):
        t: i32[16] = 0
        for i in range(16, name="a"):
            t[i] = A[i] * 2
        for i in range(16, name="b"):
            C[i] = t[15 - i]

    for mem_type in ("RAM_T2P", "RAM_2P"):
        s = filled.schedule()
        s.bind_storage("t", impl=s.BRAM, mem_type=getattr(s, mem_type))
        assert s.export("rtl").cosim(vectors=2).compared > 0
    s = filled.schedule()
    s.partition("t", kind=s.Complete)
    s.bind_storage("t", impl=s.Register)
    assert s.export("rtl").cosim(vectors=2).compared > 0


def test_what_published_programs_ask_of_hardware():
    @kernel
    def total(A: i32[16]) -> i32:
        s: i32 = 0
        for i in range(16):
            s = s + A[i]
        return s

    A = np.arange(16, dtype=np.int32)
    m = total.schedule().export("rtl", freq_mhz=200, device=None, library=None)
    assert m.compile() is m and m.freq_mhz == 200
    found = m.cosim(A)
    assert found.result == A.sum() and found.latency_ns == found.cycles * 5
    assert m.run("cosim", A).result == m.run("csim", A) == m.run(A) == A.sum()
    with pytest.warns(CompileNote, match="no effect"):
        assert m.set_scheduler_opt(scheduler="exact", accumulators=0) is m
    with pytest.raises(ValueError):
        m.set_scheduler_opt(accumulators=4)
    with pytest.warns(CompileNote, match="no effect"):
        total.schedule().export("rtl", binding="greedy-share")
    assert total.schedule()("cpu", A) == A.sum()
    assert total.schedule().export("cpu", opt_level=3)(A) == A.sum()


def test_modules_of_the_published_package():
    from allo.backend.rtl import RTL
    from allo.backend.vitis.utils import is_vitis_available
    from allo.lang import Module
    from allo.lang.ip import operator_ip

    assert callable(operator_ip) and not is_vitis_available()
    double = Module("double", _stage(2, 8))

    @kernel
    def top(x: i32[8]):
        double(x)

    x = np.arange(8, dtype=np.int32)
    top(x)
    double(x)
    assert x.tolist() == [4 * i for i in range(8)]
    assert isinstance(double.schedule.export("rtl"), RTL)
