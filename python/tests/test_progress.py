"""What long work shows: on a terminal only, from a second on, and not where it is to be quiet."""

import os
import pty
import signal
import subprocess
import sys
from pathlib import Path

import pytest

# A run without end, as far as a test goes.
SCRIPT = """
import numpy as np
from allo import i32, kernel

@kernel
def long(n: i32, out: i32[1]):
    for i in range(n):
        out[0] = out[0] + i

long.{what}(2**31 - 1, np.zeros(1, np.int32))
"""
RUNS = {
    "__call__": "running the reference",
    'schedule().export("rtl", check="off")': "running the hardware",
}


def beginning(path: Path, **environment: str) -> tuple[subprocess.Popen[bytes], int]:
    """A run with a terminal for its messages, and the other end of that."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, str(path)], stderr=theirs, stdout=subprocess.DEVNULL, env={**os.environ, **environment}
    )
    os.close(theirs)
    return process, ours


@pytest.mark.parametrize("what", RUNS)
def test_a_long_run_says_what_it_does(tmp_path: Path, what: str):
    path = tmp_path / "long.py"
    path.write_text(SCRIPT.format(what=what))
    process, terminal = beginning(path, TERM="xterm")
    said = b""
    while RUNS[what].encode() not in said:
        # Ends with an error where the run ends without a word.
        said += os.read(terminal, 1000)
    process.send_signal(signal.SIGKILL)
    process.wait()
    os.close(terminal)


def test_a_run_that_is_to_be_quiet_says_nothing(tmp_path: Path):
    path = tmp_path / "long.py"
    path.write_text(SCRIPT.format(what="__call__").replace("2**31 - 1", "3_000_000"))
    process, terminal = beginning(path, TERM="xterm", ALLO_QUIET="1")
    assert process.wait() == 0
    with pytest.raises(OSError):
        assert os.read(terminal, 1000) == b""
    os.close(terminal)
