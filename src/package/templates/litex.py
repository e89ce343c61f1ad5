"""The block @name@ in LiteX: a Migen instance with the interfaces of LiteX.

`self.control` is an AXI4-Lite slave with the registers of the manifest, `self.masters` has an AXI4 master for each
bundle, `self.sources` and `self.sinks` are streams, and `self.interrupt` is a signal. `self.ev` has CSRs that show it,
and let it interrupt the processor of a SoC.
"""

import os

from litex.soc.integration.soc import SoCRegion
from litex.soc.interconnect.csr import AutoCSR
from litex.soc.interconnect.csr_eventmanager import EventManager, EventSourceLevel
from litex.soc.interconnect import stream
from litex.soc.interconnect.axi import AXIInterface, AXILiteInterface
from migen import ClockSignal, Instance, Module, ResetSignal, Signal

HERE = os.path.dirname(os.path.abspath(__file__))

#: Bits of addresses of the control slave; None: there is none.
CONTROL = @control@
#: Of each bundle the bits of its data and which halves it has.
MASTERS = @masters@
#: Of each stream its direction, bits and whether it has frames.
STREAMS = @streams@


class @class@(Module, AutoCSR):
    """The block and its interfaces."""

    def __init__(self, platform):
        self.interrupt = Signal()
        self.masters, self.sources, self.sinks = {}, {}, {}
        pins = dict(i_ap_clk=ClockSignal(), i_ap_rst_n=~ResetSignal())
        if CONTROL:
            # Adapters to the bus of a SoC want all bits of its addresses.
            self.control = AXILiteInterface(data_width=32, address_width=32)
            pins["o_interrupt"] = self.interrupt
            self.submodules.ev = EventManager()
            self.ev.block = EventSourceLevel(description="The block's interrupt, until its interrupt status is cleared.")
            self.ev.finalize()
            self.comb += self.ev.block.trigger.eq(self.interrupt)
            for channel, outs in (("aw", ("ready",)), ("w", ("ready",)), ("b", ("valid", "resp")), ("ar", ("ready",)),
                                  ("r", ("valid", "data", "resp"))):
                fields = {"aw": ("valid", "ready", "addr"), "w": ("valid", "ready", "data", "strb"),
                          "b": ("valid", "ready", "resp"), "ar": ("valid", "ready", "addr"),
                          "r": ("valid", "ready", "data", "resp")}[channel]
                for field in fields:
                    side = "o" if field in outs else "i"
                    signal = getattr(getattr(self.control, channel), field)
                    pins[f"{side}_s_axi_control_{channel}{field}"] = signal[:CONTROL] if field == "addr" else signal
        for name, (width, reads, writes) in MASTERS.items():
            bus = self.masters[name] = AXIInterface(data_width=width, address_width=64)
            channels = []
            if reads:
                channels += [("ar", ("addr", "len", "size", "burst", "valid"), ("ready",)),
                             ("r", ("ready",), ("data", "resp", "last", "valid"))]
            if writes:
                channels += [("aw", ("addr", "len", "size", "burst", "valid"), ("ready",)),
                             ("w", ("data", "strb", "last", "valid"), ("ready",)), ("b", ("ready",), ("resp", "valid"))]
            for channel, outs, ins in channels:
                for side, fields in (("o", outs), ("i", ins)):
                    for field in fields:
                        pins[f"{side}_m_axi_{name}_{channel}{field}"] = getattr(getattr(bus, channel), field)
        for name, (direction, width, frames) in STREAMS.items():
            is_sink = direction == "in"
            end = stream.Endpoint([("data", width)])
            (self.sinks if is_sink else self.sources)[name] = end
            keep = Signal((width + 7) // 8, reset=(1 << (width + 7) // 8) - 1)
            forward, back = ("i", "o") if is_sink else ("o", "i")
            pins[f"{forward}_{name}_tdata"], pins[f"{forward}_{name}_tvalid"] = end.data, end.valid
            pins[f"{forward}_{name}_tkeep"], pins[f"{back}_{name}_tready"] = keep, end.ready
            if frames:
                pins[f"{forward}_{name}_tlast"] = end.last
        self.specials += Instance("@name@", **pins)
        platform.add_source(os.path.join(HERE, "rtl", "@name@.sv"))

    def add_to(self, soc, name, origin):
        """Puts the control slave on the bus of a SoC at an address, the masters on its bus for DMA, the CSRs among those of
        the SoC as `name`, and the interrupt among the processor's, where it has any."""
        setattr(soc.submodules, name, self)
        if CONTROL:
            size = max(1 << CONTROL, 4096)
            soc.bus.add_slave(f"{name}_control", self.control, SoCRegion(origin=origin, size=size, cached=False))
            if soc.irq.enabled:
                soc.irq.add(name, use_loc_if_exists=True)
        target = getattr(soc, "dma_bus", soc.bus)
        for bundle, bus in self.masters.items():
            target.add_master(f"{name}_{bundle}", bus)
