"""Runs saxpy on a board at a serial port: python host.py /dev/ttyUSB0 DRIVER, the package's driver/saxpy.py.

Wants pyserial.
"""

import importlib.util
import struct
import sys


class Words:
    """Words of 32 bits behind a serial line, as the drivers of packages want them; `port` has `read` and `write`."""

    def __init__(self, port):
        self.port = port

    def _answer(self, count):
        data = self.port.read(count)
        if len(data) != count:
            raise TimeoutError("the board does not answer")
        return data

    def read(self, offset):
        self.port.write(b"r" + struct.pack("<I", offset))
        return struct.unpack("<I", self._answer(4))[0]

    def write(self, offset, value):
        self.port.write(b"w" + struct.pack("<II", offset, value))
        if self._answer(1) != b"k":
            raise OSError("the board does not understand")


def load(path):
    spec = importlib.util.spec_from_file_location("driver", path)
    driver = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(driver)
    return driver


def bits(value):
    return struct.unpack("<I", struct.pack("<f", value))[0]


def run(port, driver):
    """Runs it once; the 16 results."""
    block = driver.Saxpy(Words(port))
    block.write("a", bits(2.5))
    block.write_array("x", [bits(i) for i in range(16)])
    block.write_array("y", [bits(i / 4) for i in range(16)])
    block.start()
    while not block.is_done():
        pass
    return [struct.unpack("<f", struct.pack("<I", word))[0] for word in block.read_array("out")]


def main():
    import serial

    with serial.Serial(sys.argv[1], 115200, timeout=1) as port:
        results = run(port, load(sys.argv[2]))
    print(results)
    assert results == [2.5 * i + i / 4 for i in range(16)]


if __name__ == "__main__":
    main()
