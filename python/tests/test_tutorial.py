"""The tutorial's notebooks: every cell runs, in order, and what they assert holds."""

import json
import linecache
import os
import pathlib
import sys

import pytest

FOLDER = pathlib.Path(__file__).parent.parent / "tutorial"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))


def test_there_are_notebooks():
    assert len(NOTEBOOKS) == 6


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs(path, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    # The command is installed beside the interpreter.
    monkeypatch.setenv("PATH", os.path.dirname(sys.executable) + os.pathsep + os.environ["PATH"])
    cells = json.loads(path.read_text())["cells"]
    codes = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    assert any("assert " in code for code in codes)
    names: dict = {"__name__": "__main__"}
    for number, code in enumerate(codes):
        # As notebooks do it: the text of a cell is that of a file, which kernels are read from.
        file = f"<{path.stem} {number}>"
        linecache.cache[file] = (len(code), None, code.splitlines(True), file)
        exec(compile(code, file, "exec"), names)
    assert not any(cell.get("outputs") for cell in cells), "outputs are not kept"
