"""Kernels as objects: where they may be defined, what they capture, how they are called."""

from __future__ import annotations

import builtins
import copy
import pickle
import subprocess
import sys
import threading
from typing import NamedTuple

import numpy as np
import pytest

import allo
from allo import CompileError, KernelOptions, Stateful, Template, apfloat, apint, consteval, f32, i32, index, kernel
from allo import static_assert, u8
from allo.lang import range as arange
from allo.operators import arith
from allo.schedule import ScheduleLookupError

CPP = KernelOptions(typing_style="cpp")
SCALE = 3
TABLE = np.array([5, 7, 11, 13], dtype=np.int32)


@kernel
def scaled(x: i32[4], out: i32[4]):
    for i in range(4, name="i"):
        out[i] = x[i] * SCALE


def test_a_kernel_at_module_level_changes_arrays_in_place():
    x, out = np.arange(4, dtype=np.int32), np.zeros(4, np.int32)
    assert scaled(x, out) is None
    assert out.tolist() == [0, 3, 6, 9]


def test_a_kernel_in_a_function_captures_what_is_around_it():
    n, table = 4, TABLE * 2

    @kernel
    def add_table(x: i32[n], out: i32[n]):
        local: i32[n] = table
        for i in arange(n):
            out[i] = x[i] + local[i]

    out = np.zeros(4, np.int32)
    add_table(np.ones(4, np.int32), out)
    assert out.tolist() == [11, 15, 23, 27]


def test_kernels_made_in_a_loop_are_different():
    made = []
    for factor in range(1, 4):

        @kernel
        def times(x: i32) -> i32:
            return x * factor

        made.append((factor, times))
        assert times(7) == 7 * factor
    # What is captured is captured when the kernel is first compiled.
    assert [k(7) for _, k in made] == [7, 14, 21]


def test_a_kernel_calls_kernels_that_it_captures():
    @kernel
    def square(x: i32) -> i32:
        return x * x

    @kernel
    def top(a: i32, b: i32) -> i32:
        return square(a) + square(b)

    assert top(3, 4) == 25


def test_kernels_in_containers_and_modules_are_captured():
    @kernel
    def plus_one(x: i32) -> i32:
        return x + 1

    class Library:
        increment = plus_one
        amount = 5

    @kernel
    def top(x: i32) -> i32:
        return Library.increment(x) + Library.amount + np.int16(2)

    assert top(1) == 9


def test_templates():
    T, N = Template("T"), Template("N")

    @kernel(T, N)
    def total(x: T[N]) -> T:
        s: T = 0
        for i in range(N):
            s += x[i]
        return s

    assert total[i32, 3](np.array([1, 2, 3], np.int32)) == 6
    assert total[f32, 2](np.array([0.5, 2], np.float32)) == 2.5
    with pytest.raises(TypeError, match="unbound templates: T, N"):
        total(np.zeros(3, np.int32))
    with pytest.raises(TypeError, match="2 templates, but 1"):
        total[i32]
    with pytest.raises(TypeError, match="specialised already"):
        total[i32, 3][i32, 3]


def test_a_template_kernel_is_specialised_in_a_kernel():
    N = Template("N")

    @kernel(N)
    def fill(out: i32[N], value: i32):
        for i in range(N):
            out[i] = value

    @kernel
    def top(out: i32[5]):
        fill[5](out, 9)

    out = np.zeros(5, np.int32)
    top(out)
    assert out.tolist() == [9] * 5


def test_nested_kernels_and_names_without_import():
    @kernel
    def top(x: i32[8], out: i32[8]):
        fifo: Stream[i32]  # noqa: F821

        @kernel
        def produce(src: i32[8], stream: Stream[i32]):  # noqa: F821
            for i in range(8):
                stream.put(src[i] + 1)

        @kernel
        def consume(stream: Stream[i32], dst: i32[8]):  # noqa: F821
            for i in range(8):
                dst[i] = stream.get() * 2

        produce(x, fifo)
        consume(fifo, out)

    x, out = np.arange(8, dtype=np.int32), np.zeros(8, np.int32)
    top(x, out)
    assert out.tolist() == ((x + 1) * 2).tolist()


def test_consteval_functions_run_in_python():
    calls = []

    @consteval
    def power(base, exponent=2):
        calls.append((base, exponent))
        return base**exponent

    @kernel
    def top(x: i32) -> i32:
        static_assert(power(2) == 4)
        return x + power(3, exponent=3)

    assert top(1) == 28
    assert (3, 3) in calls
    assert power(5) == 25


def test_an_exception_of_a_consteval_function_is_an_error_of_the_kernel():
    @consteval
    def broken():
        raise LookupError("no such thing")

    @kernel
    def top(x: i32) -> i32:
        return x + broken()

    with pytest.raises(allo.CompileError, match="LookupError: no such thing") as caught:
        top(1)
    assert caught.value.diagnostics[0].code == "E0702"


def test_options_and_aliases_of_types():
    byte = apint(8)
    vector = u8[4]

    @kernel(options=KernelOptions(typing_style="cpp"))
    def top(x: vector, y: byte) -> byte:
        return arith.max(x[0], y)

    assert top(np.array([7, 0, 0, 0], np.uint8), 5) == 7


def test_quoted_annotations():
    @kernel
    def top(x: "i32[2, 2]", out: "i32[]"):
        out[()] = x[1, 1]

    out = np.zeros((), np.int32)
    top(np.array([[1, 2], [3, 4]], np.int32), out)
    assert out == 4


def test_a_wrong_kernel_raises_with_the_users_line():
    @kernel
    def wrong(x: i32) -> i32:
        return x + missing  # noqa: F821

    with pytest.raises(allo.CompileError) as caught:
        wrong(1)
    found = caught.value.diagnostics[0]
    assert found.code == "E0103" or found.message == "Name 'missing' is not defined"
    assert found.file is not None and found.file.endswith("test_kernels.py")
    line = wrong.fn.__code__.co_firstlineno + 2
    assert found.line == line
    assert str(caught.value).startswith("\n")
    assert f"test_kernels.py:{line}:20: error: Name 'missing' is not defined" in str(caught.value)
    assert "        return x + missing" in str(caught.value)


def test_a_value_that_kernels_cannot_use_says_why():
    thing = object()

    def plain():
        return 1

    @kernel
    def uses_function(x: i32) -> i32:
        return x + plain()

    @kernel
    def uses_object(x: i32) -> i32:
        return x + thing

    with pytest.raises(allo.CompileError, match="'plain' is a Python function, not a kernel"):
        uses_function(1)
    with pytest.raises(allo.CompileError):
        uses_object(1)


def test_a_kernel_without_text_is_refused():
    names = {"kernel": kernel, "i32": i32}
    exec("@kernel\ndef k(x: i32) -> i32:\n    return x\n", names)
    with pytest.raises(allo.CompileError, match="the text of kernel 'k' cannot be found"):
        names["k"](1)


def test_text_of_a_notebook():
    """A notebook puts the text of a cell where `linecache` finds it."""
    import linecache

    text = "from allo import *\n\n\n@kernel\ndef cell(x: i32) -> i32:\n    return x + nothing\n"
    name = "<ipython-input-7-abc>"
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    names: dict = {}
    exec(compile(text, name, "exec"), names)
    with pytest.raises(allo.CompileError, match="<ipython-input-7-abc>:6:16: error: Name 'nothing'"):
        names["cell"](1)


def test_warnings_are_pythons():
    @kernel
    def beyond(x: i32[4], i: i32) -> i32:
        return x[i]

    with pytest.warns(allo.CompileWarning, match="out of bounds: index \\[9\\]"):
        beyond(np.zeros(4, np.int32), 9)


def test_calls_from_several_threads():
    results = [None] * 4

    @kernel
    def cube(x: i32) -> i32:
        return x * x * x

    def work(number):
        results[number] = [cube(n) for n in range(50)]

    threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
    [t.start() for t in threads]
    [t.join() for t in threads]
    assert results == [[n**3 for n in range(50)]] * 4


def test_what_python_does_with_the_names_of_the_language():
    assert list(arange(3, name="i")) == [0, 1, 2]
    assert list(allo.grid(2, 2)) == [(0, 0), (0, 1), (1, 0), (1, 1)]
    assert repr(i32[4, 2]) == "i32[4, 2]" and i32[4] == i32[4] and i32 != f32
    assert repr(allo.Stream[i32, 4]) == "Stream[i32, 4]"
    with pytest.raises(TypeError, match="belongs to the kernel language"):
        arith.add(1, 2)
    with pytest.raises(ValueError, match="there is no type"):
        apint(5000)


def test_state_is_kept_from_call_to_call():
    @kernel
    def count(step: i32) -> i32:
        total: Stateful[i32] = 10  # noqa: F821
        total += step
        return total

    assert [count(1), count(2), count(3)] == [11, 13, 16]
    count.reset()
    assert count(1) == 11
    module = count.schedule().export("rtl")
    assert [module(1), module(2), module(3)] == [11, 13, 16]
    module.reset()
    assert module(5) == 15
    assert count(1) == 12, "each has its own"


def test_a_specialised_kernel_is_one_kernel():
    T = Template("T")

    @kernel(T)
    def count(by: T) -> i32:
        n: Stateful[i32] = 0
        n += by
        return n

    assert count[i32] is count[i32]
    assert [count[i32](1) for _ in range(3)] == [1, 2, 3]


def test_a_grid_has_a_list_of_extents():
    with pytest.raises(TypeError, match="mapping= takes a list"):
        kernel(mapping=i32)


def test_a_part_of_a_table():
    table = np.array([[1, 2], [3, 4]], dtype=np.int16)

    @kernel
    def row(r: index, out: i32[2]):
        part = allo.bufferize(table, [r, 0], [1, 2], [1, 1])
        for j in range(2):
            out[j] = part[0, j]

    out = np.zeros(2, np.int32)
    row(1, out)
    assert out.tolist() == [3, 4]


def test_names_of_the_experimental_line():
    from allo.exp.backend import CPU
    from allo.exp.operators.arith import add
    from allo.exp.schedule import Schedule
    from allo.exp.schedule.errors import ScheduleError
    from allo.schedule import Schedule as own

    assert Schedule is own and issubclass(ScheduleError, Exception) and add is not None

    @kernel
    def more(x: i32) -> i32:
        return x + 1

    with CPU():
        assert more(1) == 2


def test_a_grid_in_a_kernel_has_extents_that_the_kernel_knows():
    @kernel
    def top(out: i32[4]):
        workers: constexpr = 2

        @kernel(mapping=[workers * 2])
        def worker(buf: i32[4]):
            w = allo.get_wid(0)
            buf[w] = w * 3

        worker(out)

    out = np.zeros(4, np.int32)
    top(out)
    assert out.tolist() == [0, 3, 6, 9]


def test_accumulators_by_position():
    @kernel
    def most(x: i32[3], y: i32[3], out: i32[3], any_: i32[3]):
        arith.max(x, y, out)
        arith.logical_and(x, y, any_)

    x, y = np.array([1, 5, -3], np.int32), np.array([2, 0, -4], np.int32)
    out, any_ = np.zeros(3, np.int32), np.full(3, 7, np.int32)
    most(x, y, out, any_)
    assert (out.tolist(), any_.tolist()) == ([2, 5, -3], [1, 0, 1])


def test_a_result_that_is_lost_is_an_error():
    @kernel
    def lost(x: i32[3]):
        arith.add(x, x)

    with pytest.raises(CompileError, match="nothing takes it"):
        lost(np.zeros(3, np.int32))


def test_signedness_that_the_types_have_may_be_said():
    @kernel
    def half(x: u8[2], out: u8[2]):
        arith.div(x, x, out, signed=False)

    out = np.zeros(2, np.uint8)
    half(np.array([200, 7], np.uint8), out)
    assert out.tolist() == [1, 1]

    @kernel
    def wrong(x: i32) -> i32:
        return arith.rshift(x, 1, signed=False)

    with pytest.raises(CompileError, match="'signed=False' is said of a value of type i32"):
        wrong(5)


def test_kernels_of_a_program_in_an_argument(tmp_path):
    text = "from allo import *\n@kernel\ndef f(x: i32) -> i32:\n    return x + 1\nassert f(2) == 3\n"
    ran = subprocess.run([sys.executable, "-c", text, "an argument"], cwd=tmp_path, capture_output=True, text=True)
    assert (ran.returncode, ran.stderr) == (0, "")


def test_types_say_what_they_are():
    assert apfloat(8, 23) == f32 and hash(apfloat(8, 23)) == hash(f32)
    assert (f32.name, u8.name, i32.name) == ("float32", "uint8", "int32")
    assert u8.is_uint() and not u8.is_int() and u8.is_intn(8) and f32.is_float() and not f32.is_index()


def test_errors_can_be_made():
    import ast

    text = "x = 1\ny = 2\n"
    error = CompileError(text, "a message", ast.parse(text).body[1], file_name="a.py", begin_line=10)
    assert error.error_msg == "a message" and "a.py:11:1: error: a message" in error.render()


def test_threads_share_what_a_kernel_keeps():
    from concurrent.futures import ThreadPoolExecutor

    @kernel
    def adds(a: i32) -> i32:
        total: Stateful[i32] = 0
        total += a
        return total

    module = adds.schedule().export("rtl")
    with ThreadPoolExecutor(8) as pool:
        assert sorted(pool.map(adds, [1] * 200)) == list(range(1, 201))
        assert sorted(pool.map(module, [1] * 24)) == list(range(1, 25))
    assert adds(0) == 200 and module(0) == 24


def test_tables_of_another_byte_order_are_tables():
    table = np.arange(4, dtype=">i4") * 3

    @kernel
    def reads(i: i32) -> i32:
        t: i32[4] = table
        return t[i]

    assert [reads(i) for i in range(4)] == [0, 3, 6, 9]


def test_complex_tables_are_refused():
    table = np.array([1 + 2j, 3])

    @kernel
    def reads(i: i32) -> f32:
        t: f32[2] = table
        return t[i]

    with pytest.raises(CompileError, match="complex128"):
        reads(0)


def test_tables_and_scalars_of_wider_floats_are_refused():
    wide = np.longdouble(1) / 3
    if wide.itemsize == 8:
        pytest.skip("a long double is a double here")
    table = np.array([wide, 3])

    @kernel
    def reads(i: i32) -> f32:
        t: f32[2] = table
        return t[i]

    @kernel
    def adds(x: f32) -> f32:
        return x + wide

    for call in (lambda: reads(0), lambda: adds(0.5)):
        with pytest.raises(CompileError, match=f"arrays of {table.dtype.name} are not known to kernels"):
            call()


def test_named_tuples_ranges_and_kinds_of_floats_are_captured():
    class Shape(NamedTuple):
        taps: int
        bias: float

        @property
        def twice(self):
            return 2 * self.taps

    class Gain(float):
        pass

    shape, steps, gain = Shape(3, 0.5), builtins.range(10, 2, -4), Gain(1.5)

    @consteval
    def total(numbers):
        return sum(numbers)

    @kernel
    def uses(x: i32) -> f32:
        taps, bias = shape
        return x * shape[0] + taps + shape.twice + len(shape) + bias + shape[-1]

    @kernel
    def counts(x: i32) -> i32:
        return x + steps[1] * 10 + len(steps) + total(steps)

    @kernel
    def scales(x: f32) -> f32:
        return x * gain

    assert uses(10) == 30 + 3 + 6 + 2 + 0.5 + 0.5
    assert counts(0) == 60 + 2 + 16
    assert scales(2.0) == 3.0


def test_options_of_a_nested_kernel_may_be_a_variable():
    @kernel
    def top(a: u8, b: u8) -> i32:
        @kernel(options=CPP)
        def inner(a: u8, b: u8) -> i32:
            return a + b

        return inner(a, b)

    assert top(200, 100) == 44


def test_templates_take_scalars_of_numpy():
    T = Template("T")

    @kernel(T)
    def times(x: f32) -> f32:
        return x * T

    assert times[np.float64(0.5)] is times[0.5] and times[np.int64(4)] is times[4]
    assert times[np.float32(0.5)](3.0) == 1.5 and times[np.int64(4)](3.0) == 12.0
    for value in (np.array([4]), i32[4]):
        with pytest.raises(TypeError, match="bound to a type or a number"):
            times[value]


def test_errors_survive_being_copied():
    @kernel
    def wrong(x: i32) -> i32:
        return x + missing  # noqa: F821

    for error, call in ((CompileError, lambda: wrong(1)), (ScheduleLookupError, lambda: scaled.schedule().loop("x"))):
        with pytest.raises(error) as caught:
            call()
        for made in (pickle.loads(pickle.dumps(caught.value)), copy.copy(caught.value), copy.deepcopy(caught.value)):
            assert type(made) is error and str(made) == str(caught.value)
            assert made.diagnostics == caught.value.diagnostics


def test_kernels_are_copied_as_functions_are_and_not_pickled():
    assert copy.copy(scaled) is scaled and copy.deepcopy([scaled]) == [scaled]
    with pytest.raises(TypeError, match="kernel 'scaled' cannot be pickled.*import the module"):
        pickle.dumps(scaled)


def test_a_kernel_is_made_of_a_definition():
    for decorator in (kernel, kernel(), allo.operator_ip(latency=1)):
        with pytest.raises(TypeError, match="stands above a function that `def` defines"):
            decorator(lambda x: x)


def test_types_have_their_older_names():
    from allo.ir.types import Int, UInt, float32, int32, uint8

    @kernel
    def sums(a: int32, b: uint8, c: Int(12), d: UInt(3)) -> float32:
        return a + b + c + d

    assert sums(-5, 200, 7, 6) == 208.0
