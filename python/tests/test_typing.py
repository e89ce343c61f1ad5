"""The types that are shipped: checkers accept what kernels are written like, and the stubs name what is there."""

import ast
import importlib
import importlib.util
import json
import pathlib
import shutil
import subprocess
import sys

import pytest

import allo

HERE = pathlib.Path(__file__).parent
PACKAGE = pathlib.Path(allo.__file__).parent


@pytest.fixture
def program(tmp_path):
    """The typed program in a folder of its own."""
    return shutil.copy(HERE / "typed" / "kernels.py", tmp_path)


def test_the_typed_program_runs(program):
    done = subprocess.run([sys.executable, program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_mypy_accepts_it_in_strict_mode(program, tmp_path):
    pytest.importorskip("mypy")
    environment = {"MYPYPATH": str(PACKAGE.parent)} if "site-packages" not in str(PACKAGE) else None
    command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(tmp_path / "cache"), program]
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stdout


def test_pyright_accepts_it_in_strict_mode(program, tmp_path):
    if importlib.util.find_spec("pyright") is None:
        pytest.skip("pyright is not installed")
    settings = {"typeCheckingMode": "strict", "include": ["."], "extraPaths": [str(PACKAGE.parent)]}
    (tmp_path / "pyrightconfig.json").write_text(json.dumps(settings))
    command = [sys.executable, "-m", "pyright", "--pythonpath", sys.executable]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    if "error" not in done.stdout:
        pytest.skip(f"pyright does not start: {done.stderr[-200:]}")
    assert "0 errors" in done.stdout, done.stdout


def stub_names(path: pathlib.Path) -> set[str]:
    """Names that a stub binds at its top, not those that it imports all of."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and node.col_offset in (0, 4):
            names.add(node.name)
    return names


@pytest.mark.parametrize("module", ["arith", "math", "linalg"])
def test_stubs_of_operators_name_what_is_there(module):
    there = set(importlib.import_module(f"allo.operators.{module}").__all__)
    stubbed = stub_names(PACKAGE / "operators" / f"{module}.pyi")
    assert there <= stubbed, there - stubbed
    assert not {name for name in stubbed if not hasattr(importlib.import_module(f"allo.operators.{module}"), name)}


def test_stubs_of_pto_name_what_is_there():
    text = (PACKAGE / "pto.pyi").read_text()
    for name in allo.pto.__all__:
        assert f"def {name}(" in text or f"class {name}(" in text or f" as {name}\n" in text, name
    stubbed = {node.name for node in ast.parse(text).body if isinstance(node, ast.FunctionDef)}
    assert stubbed <= set(allo.pto.__all__), stubbed - set(allo.pto.__all__)


def test_stubs_of_types_name_what_is_there():
    typed = stub_names(PACKAGE / "_typed.pyi")
    core = stub_names(PACKAGE / "lang" / "core.pyi") | typed
    there = set(allo.lang.core.__all__)
    assert there <= core, there - core


def test_stubs_of_schedules_name_what_is_there():
    from allo import _native

    text = (PACKAGE / "schedule" / "__init__.pyi").read_text()
    for name in _native.SCHEDULE_METHODS:
        assert f"    def {name}(" in text, name
    for name in _native.SCHEDULE_CONSTANTS:
        assert f"    {name}: Constant" in text, name
