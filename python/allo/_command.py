"""The command `allo-hls`: the same program as the library's own."""

import signal
import sys

from . import _native


def main() -> int:
    """Runs the command line; gives its exit status."""
    # Ctrl-C ends the program, as it does without an interpreter around.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    return _native.command(["allo-hls", *sys.argv[1:]])
