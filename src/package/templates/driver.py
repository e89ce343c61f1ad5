"""Drives the block @name@: registers by name or offset, as in PYNQ.

`@class@(io)` takes anything with `read(offset)` and `write(offset, value)` of 32-bit words, such as `pynq.MMIO`;
`@class@.uio("/dev/uio0")` opens a Linux UIO device.
"""

import json
import mmap
import os
import struct
import time

#: Byte offset and number of words of each register.
REGISTERS = json.loads("""@registers@""")
#: Local arrays: byte offset of element 0, bytes of an element, elements.
ARRAYS = json.loads("""@arrays@""")
#: Number of each bit of the status register.
STATUS_BITS = json.loads("""@status_bits@""")

START, DONE, IDLE, READY, AUTO_RESTART = 1, 2, 4, 8, 0x80


class _Memory:
    """The first memory of a Linux UIO device."""

    def __init__(self, path, size):
        self.file = os.open(path, os.O_RDWR | os.O_SYNC)
        self.memory = mmap.mmap(self.file, size)

    def read(self, offset):
        return struct.unpack_from("<I", self.memory, offset)[0]

    def write(self, offset, value):
        struct.pack_into("<I", self.memory, offset, value)

    def wait(self):
        """Blocks until an interrupt."""
        os.write(self.file, struct.pack("<I", 1))
        os.read(self.file, 4)


class @class@:
    """The block. Values are unsigned bit patterns; arrays behind masters take the address of a buffer."""

    def __init__(self, io):
        self.io = io
        # An end that a read of the control register has cleared, and that nobody has asked for.
        self._seen = False

    @classmethod
    def uio(cls, path, size=@span@):
        """The block behind a UIO device."""
        return cls(_Memory(path, size))

    def read(self, register):
        """Value of a register, by name or offset."""
        offset, words = REGISTERS.get(register, (register, 1))
        return sum(self.io.read(offset + 4 * word) << 32 * word for word in range(words))

    def write(self, register, value):
        """Sets a register, by name or offset."""
        offset, words = REGISTERS.get(register, (register, 1))
        for word in range(words):
            self.io.write(offset + 4 * word, (value >> 32 * word) & 0xFFFFFFFF)

    def read_array(self, name):
        """Elements of a local array."""
        offset, size, count = ARRAYS[name]
        words = [self.io.read(offset + 4 * word) for word in range((size * count + 3) // 4)]
        data = struct.pack(f"<{len(words)}I", *words)
        return [int.from_bytes(data[at * size:(at + 1) * size], "little") for at in range(count)]

    def write_array(self, name, values):
        """Sets the elements of a local array."""
        offset, size, count = ARRAYS[name]
        if len(values) != count:
            raise ValueError(f"{name} has {count} elements")
        data = b"".join(value.to_bytes(size, "little") for value in values)
        data += bytes(-len(data) % 4)
        for word, value in enumerate(struct.unpack(f"<{len(data) // 4}I", data)):
            self.io.write(offset + 4 * word, value)

    def start(self, auto_restart=False):
        """Starts an invocation, or, with `auto_restart`, one after the other."""
        self.write("CTRL", START | (AUTO_RESTART if auto_restart else 0))

    def is_done(self):
        """Whether an invocation ended since this was last asked."""
        self._control()
        seen, self._seen = self._seen, False
        return seen

    def is_idle(self):
        """Whether nothing runs."""
        return bool(self._control() & IDLE)

    def _control(self):
        now = self.read("CTRL")
        self._seen = self._seen or bool(now & DONE)
        return now

    def wait(self, timeout=None):
        """Until an invocation ends; `TimeoutError` after so many seconds."""
        end = None if timeout is None else time.monotonic() + timeout
        while not self.is_done():
            if end is not None and time.monotonic() > end:
                raise TimeoutError("the block is not done")

    def enable_interrupts(self, done=True, ready=False):
        """Has the block interrupt at these events."""
        self.write("IER", int(done) | int(ready) << 1)
        self.write("GIE", int(done or ready))

    def clear_interrupts(self):
        """Takes back the interrupts that are pending; which they were, as bits."""
        pending = self.read("ISR")
        self.write("ISR", pending)
        return pending

    def errors(self):
        """The bits of the status register that are set, by name, which are cleared."""
        status = self.read("STATUS")
        self.write("STATUS", status)
        return [name for name, bit in STATUS_BITS.items() if status >> bit & 1]
