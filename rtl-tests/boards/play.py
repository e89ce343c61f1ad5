"""Has the host's program talk with a simulated board: play.py HOST DRIVER BOARD."""

import importlib.util
import subprocess
import sys

spec = importlib.util.spec_from_file_location("host", sys.argv[1])
host = importlib.util.module_from_spec(spec)
spec.loader.exec_module(host)


class Port:
    """A serial port that is a simulation."""

    def __init__(self, board):
        self.board = board

    def write(self, data):
        self.board.stdin.write(data)
        self.board.stdin.flush()

    def read(self, count):
        return self.board.stdout.read(count)


with subprocess.Popen([sys.argv[3]], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as board:
    port = Port(board)
    # What is no command is ignored.
    port.write(b"?")
    results = host.run(port, host.load(sys.argv[2]))
    board.stdin.close()
assert results == [2.5 * i + i / 4 for i in range(16)], results
print("16 results are right")
