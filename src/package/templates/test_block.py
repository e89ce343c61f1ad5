"""Runs the block beside kept results, with models of cocotbext-axi that pause at random.

`make` runs it in Verilator; SEED chooses pauses, addresses, and when the block is reset. `vectors.json` has, for each
invocation, the bit patterns of scalars and of the elements of arrays before and after; the manifest says where they go.
`sim_top.sv` only adds the ids that the models want.
"""

import json
import math
import os
import random
from pathlib import Path

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import RisingEdge
from cocotbext.axi import (AxiLiteBus, AxiLiteMaster, AxiReadBus, AxiSlaveRead, AxiSlaveWrite, AxiStreamBus,
                           AxiStreamFrame, AxiStreamSink, AxiStreamSource, AxiWriteBus, SparseMemoryRegion)

HERE = Path(__file__).parent
MANIFEST = json.loads(next(HERE.parent.glob("manifest.json"), HERE / "manifest.json").read_text())
VECTORS = json.loads((HERE / "vectors.json").read_text())
PAGE = 4096


def pauses(rng):
    """A generator of pauses, one of several kinds."""
    share = rng.choice([0.0, 0.1, 0.5, 0.8])
    while True:
        yield rng.random() < share


def to_bytes(values, size):
    return b"".join(value.to_bytes(size, "little") for value in values)


def from_bytes(data, size, width):
    mask = (1 << width) - 1
    return [int.from_bytes(data[at:at + size], "little") & mask for at in range(0, len(data), size)]


class Memory(SparseMemoryRegion):
    """What the masters reach; pages that fail answer with an error."""

    def __init__(self):
        super().__init__(1 << 48)
        self.failing = set()

    def check(self, address):
        if address // PAGE in self.failing:
            raise RuntimeError(f"nothing answers at {address:#x}")

    async def _read(self, address, length, **kwargs):
        self.check(address)
        return await super()._read(address, length, **kwargs)

    async def _write(self, address, data, **kwargs):
        self.check(address)
        return await super()._write(address, data, **kwargs)


class Bench:
    """The block with all that stands around it."""

    def __init__(self, dut, rng):
        self.dut, self.rng = dut, rng
        args = (dut.ap_clk, dut.ap_rst_n)
        low = {"reset_active_level": False}
        self.memory = Memory()
        self.control = None
        channels = []
        if MANIFEST["control"]:
            self.control = AxiLiteMaster(AxiLiteBus.from_prefix(dut, "s_axi_control"), *args, **low)
            write, read = self.control.write_if, self.control.read_if
            channels += [write.aw_channel, write.w_channel, write.b_channel, read.ar_channel, read.r_channel]
        for master in MANIFEST["masters"]:
            prefix = "m_axi_" + master["bundle"]
            if "arvalid" in master["ports"]:
                ram = AxiSlaveRead(AxiReadBus.from_prefix(dut, prefix), *args, **low, target=self.memory)
                channels += [ram.ar_channel, ram.r_channel]
            if "awvalid" in master["ports"]:
                ram = AxiSlaveWrite(AxiWriteBus.from_prefix(dut, prefix), *args, **low, target=self.memory)
                channels += [ram.aw_channel, ram.w_channel, ram.b_channel]
        self.streams = {}
        for arg in MANIFEST["args"] + MANIFEST["returns"]:
            if arg.get("via") == "axis":
                kind = AxiStreamSource if arg["direction"] == "in" else AxiStreamSink
                prefix = arg["ports"]["tvalid"][:-len("_tvalid")]
                stream = kind(AxiStreamBus.from_prefix(dut, prefix), *args, **low)
                self.streams[arg["name"]] = stream
                channels.append(stream)
        for channel in channels:
            channel.set_pause_generator(pauses(rng))
        cocotb.start_soon(Clock(dut.ap_clk, 10, "ns").start())

    async def cycles(self, count):
        for _ in range(count):
            await RisingEdge(self.dut.ap_clk)

    async def reset(self):
        self.dut.ap_rst_n.value = 0
        await self.cycles(4)
        for stream in self.streams.values():
            stream.clear()
        self.dut.ap_rst_n.value = 1
        await self.cycles(2)

    async def write(self, offset, value, words=1):
        for word in range(words):
            await self.control.write_dword(offset + 4 * word, (value >> 32 * word) & 0xFFFFFFFF)

    async def read(self, offset, words=1):
        value = 0
        for word in range(words):
            value |= await self.control.read_dword(offset + 4 * word) << 32 * word
        return value

    async def give(self, arg, values, slot):
        """Puts an argument where the block finds it; the address of an array."""
        if arg["kind"] == "scalar":
            return await self.write(arg["offset"], values, arg["words"])
        if arg["via"] == "axis":
            if arg["direction"] == "in":
                data = to_bytes(values, arg["tdata_width"] // 8)
                await self.streams[arg["name"]].send(AxiStreamFrame(data))
            return None
        data = to_bytes(values, arg["element_bytes"])
        if arg["via"] == "local":
            await self.control.write(arg["offset"], data)
            return None
        address = (slot << 32) + self.rng.randrange(2 * PAGE) // arg["element_bytes"] * arg["element_bytes"]
        await self.memory.write(address, data)
        await self.write(arg["offset"], address, 2)
        return address

    async def take(self, arg, address, count):
        """The elements of an array as the block left them."""
        if arg["via"] == "axis":
            size, stream = arg["tdata_width"] // 8, self.streams[arg["name"]]
            frame = await stream.recv(compact=False)
            data, kept = bytes(frame.tdata), list(frame.tkeep)
            while arg["kind"] == "stream" and len(data) < size * count:
                frame = await stream.recv(compact=False)
                data, kept = data + bytes(frame.tdata), kept + list(frame.tkeep)
            # The kernel has not written what is not kept.
            values = from_bytes(data, size, arg["width"])
            return [value if kept[size * at] else None for at, value in enumerate(values)]
        else:
            size = arg["element_bytes"]
            source = self.control if arg["via"] == "local" else self.memory
            data = await source.read(arg["offset"] if arg["via"] == "local" else address, size * count)
            data = bytes(getattr(data, "data", data))
        return from_bytes(data, size, arg["width"])

    async def start(self):
        if self.control:
            await self.write(0, 1)

    async def end(self):
        """Waits for the end of what was started, by the interrupt or by asking."""
        if not self.control:
            return
        if self.interrupts:
            while not self.dut.interrupt.value:
                await RisingEdge(self.dut.ap_clk)
            await self.write(12, 1)
            await self.read(0)
            return
        while not await self.read(0) & 2:
            pass

    async def prepare(self, vector):
        """Gives an invocation all it needs; the addresses of arrays."""
        if self.control:
            self.interrupts = self.rng.random() < 0.5
            await self.write(4, int(self.interrupts))
            await self.write(8, int(self.interrupts))
        addresses = {}
        for slot, arg in enumerate(MANIFEST["args"] + MANIFEST["returns"]):
            name = arg.get("name")
            if name in vector["before"]:
                addresses[name] = await self.give(arg, vector["before"][name], slot + 1)
        return addresses

    async def check(self, number, vector, addresses):
        """Compares what an invocation has left behind."""
        for arg in MANIFEST["args"] + MANIFEST["returns"]:
            name = arg.get("name")
            wanted = vector["after"].get(name)
            if wanted is None or arg.get("direction") == "in":
                continue
            got = await self.take(arg, addresses.get(name), len(wanted))
            wrong = [at for at, (a, b) in enumerate(zip(got, wanted)) if None not in (a, b) and a != b]
            assert len(got) == len(wanted) and not wrong, f"{name} of vector {number} at {wrong[:4]}"
        scalars = [arg for arg in MANIFEST["returns"] if arg["kind"] == "scalar"]
        for arg, wanted in zip(scalars, vector["returns"]):
            got = await self.read(arg["offset"], arg["words"])
            assert wanted is None or got == wanted, f"result of vector {number}: {got:#x}, not {wanted:#x}"
            assert await self.read(arg["valid"]) & 1

    async def play(self, number):
        """An invocation as a whole."""
        vector = VECTORS[number]
        addresses = await self.prepare(vector)
        await self.start()
        await self.end()
        await self.check(number, vector, addresses)


def bench_of(dut):
    return Bench(dut, random.Random(int(os.environ.get("SEED", "1"))))


@cocotb.test(timeout_time=200, timeout_unit="ms")
async def the_block_does_what_the_kernel_does(dut):
    bench = bench_of(dut)
    await bench.reset()
    for number in range(len(VECTORS)):
        await bench.play(number)


@cocotb.test(timeout_time=200, timeout_unit="ms")
async def a_reset_at_any_time_leaves_nothing_behind(dut):
    bench = bench_of(dut)
    await bench.reset()
    for number in range(len(VECTORS)):
        await bench.prepare(VECTORS[number])
        await bench.start()
        await bench.cycles(bench.rng.randrange(1 << bench.rng.randrange(1, 12)))
        await bench.reset()
        await bench.play(0)


@cocotb.test(timeout_time=200, timeout_unit="ms", skip=not (MANIFEST["masters"] and VECTORS))
async def an_error_is_told_and_ends_nothing(dut):
    bench = bench_of(dut)
    status = MANIFEST["control"]["status"]
    for arg in MANIFEST["args"] + MANIFEST["returns"]:
        if arg.get("via") != "m_axi" or arg["access"] == "none":
            continue
        await bench.reset()
        addresses = await bench.prepare(VECTORS[0])
        first = addresses[arg["name"]] // PAGE
        pages = (math.prod(arg["shape"]) * arg["element_bytes"]) // PAGE + 2
        bench.memory.failing = set(range(first, first + pages))
        await bench.start()
        await bench.end()
        bench.memory.failing = set()
        told = await bench.read(status["offset"])
        bits = {name for name, bit in status["bits"].items() if told >> bit & 1}
        # What the kernel leaves as it was is not written.
        surely = {"read_error"} if "read" in arg["access"] else set()
        perhaps = {"write_error"} if "write" in arg["access"] else set()
        assert surely <= bits <= surely | perhaps, f"{arg['name']}: {bits}"
        await bench.write(status["offset"], told)
        assert await bench.read(status["offset"]) == 0
        await bench.reset()
        await bench.play(0)
