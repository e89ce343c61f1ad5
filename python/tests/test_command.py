"""The command line and the package as they are installed."""

import importlib.metadata
import pathlib
import subprocess
import sys

import pytest

import allo

KERNEL = "from allo import *\n\n\n@kernel\ndef twice(x: i32) -> i32:\n    return x * 2\n"


def run(*args: str, file: pathlib.Path) -> subprocess.CompletedProcess:
    program = "import sys; from allo._command import main; sys.exit(main())"
    command = [sys.executable, "-c", program, *args]
    return subprocess.run(command, capture_output=True, text=True, cwd=file.parent)


def test_the_command_is_the_librarys(tmp_path):
    file = tmp_path / "kernel.py"
    file.write_text(KERNEL)
    built = run("kernel.py", "--check", "off", file=file)
    assert built.returncode == 0 and "module twice" in built.stdout
    wrong = run("kernel.py", "--top", "nothing", file=file)
    assert wrong.returncode == 1 and "there is no kernel 'nothing'" in wrong.stderr
    assert run("--nonsense", file=file).returncode == 2


def test_the_command_is_installed():
    entries = importlib.metadata.entry_points(group="console_scripts", name="allo-hls")
    if not entries:
        pytest.skip("the package is not installed")
    assert [entry.value for entry in entries] == ["allo._command:main"]
    assert importlib.metadata.version("allo-hls") == allo.__version__


def test_names_of_the_published_package():
    import allo.exp.lang
    import allo.exp.lang.core
    import allo.lang.core
    import allo.lang.kernel  # noqa: F401
    import allo.operators.arith
    import allo.operators.linalg
    import allo.operators.math
    from allo.compiler.errors import CompilationError
    from allo.exp.backend.cpu import CPU
    from allo.exp.backend.rtl import RTL
    from allo.exp.backend.vitis.core import is_vitis_available
    from allo.exp.compiler.errors import CompilationError as SameError
    from allo.lang.core import APInt, Stateful, Stream, Template, bf16, constexpr, grid, index, u1  # noqa: F401
    from allo.schedule import Schedule  # noqa: F401
    from allo.schedule.errors import ScheduleTransformError  # noqa: F401

    assert CompilationError is SameError is allo.CompileError
    assert (CPU, RTL) == (allo.backend.CPU, allo.backend.RTL) and not is_vitis_available()
    assert allo.exp.lang.kernel is allo.kernel and allo.exp.lang.i32 == allo.i32
    assert allo.operators.math.exp and allo.operators.linalg.matmul and allo.math.sqrt and allo.arith.max


def test_all_names_exist():
    for module in (allo, allo.lang, allo.lang.core, allo.operators.arith, allo.operators.math, allo.schedule):
        for name in module.__all__:
            assert hasattr(module, name), f"{module.__name__}.{name}"


def test_numpy_is_needed_for_arrays_only(tmp_path):
    file = tmp_path / "kernel.py"
    file.write_text(
        "import sys\n"
        "sys.modules['numpy'] = None\n"
        f"{KERNEL}"
        "assert twice(4) == 8\n"
        "assert twice.schedule().export('rtl')(4) == 8\n"
        "\n\n"
        "@kernel\n"
        "def array(x: i32[2]):\n"
        "    x[0] = 1\n"
        "\n\n"
        "try:\n"
        "    array([0, 0])\n"
        "except TypeError as error:\n"
        "    print(error)\n"
    )
    done = subprocess.run([sys.executable, file], capture_output=True, text=True)
    assert "parameter 'x' is an array of numpy, not list" in done.stdout, done.stderr
