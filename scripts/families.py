"""What the scripts that measure know of each family of devices: how it is synthesised, placed and counted, as data.

A family is a row; scripts/place.py runs the tools that it names. Patterns are for names of cells, in full.
"""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Family:
    """One line of the table below; `name` is that of the model in devices/."""

    name: str
    # For people: device and speed grade.
    about: str
    # The command of Yosys, without -top and -json.
    synthesis: str
    # LUT4 that a cell takes, by pattern; patterns of flip-flops, multiplier blocks and block RAMs, what these count for.
    luts: dict
    registers: str
    blocks: dict = field(default_factory=dict)
    rams: dict = field(default_factory=dict)
    # The program that places and routes, with its arguments; without, only areas are measured.
    nextpnr: str = ""
    arguments: tuple = ()
    # Whether a design has to have pins, few of them, because the program has no mode without. Where it does not choose
    # them, a line that does for each port and the arguments with the {path} of their file.
    pins: bool = True
    located: dict = field(default_factory=dict)
    location: tuple = ()
    # An instance that drives `clk` from inside, where the program may find no way for a clock from a pin.
    oscillator: str = ""
    # Placements that may fail to be routed, each with another seed, before that is an error.
    tries: int = 1
    # Bits of the operands of a multiplier block; without, there are none.
    dsp: tuple = ()
    # ns of operations set by hand, where the placer knows none, and what that is.
    by_hand: dict = field(default_factory=dict)
    # Whether lookup tables can be memory.
    lut_ram: bool = True
    # What is measured in place of an operation that the family has not, or that the placer sees no path through: an expression of
    # scripts/characterise.
    instead: dict = field(default_factory=dict)
    # What the command of Yosys needs to keep modules apart, and not to.
    apart: str = "-noflatten"
    whole: str = ""
    # What makes the pins of a design whose modules were apart, where the command makes them in all modules or none.
    padded: str = ""
    # LUT4, multiplier blocks, kbit of block RAM in the device; kbit of one block RAM and what it is.
    total: tuple = (0, 0, 0)
    # Flip-flops, if there are not as many as LUT4.
    flip_flops: int = 0
    ram_block: int = 18
    counted: str = ""
    # Placements of which the median counts; circuits in one placement, each with a clock of its own; independent lanes of
    # a circuit at most; every how many of the widths, the last one among them.
    seeds: int = 1
    together: int = 7
    lanes: int = 1
    every: int = 3
    # Cell, port, driver: what the placer refuses to see connected, for it stands for nothing.
    unconnected: tuple = ()
    # The lookup table in place of which the placer gets those with fewer inputs.
    wide: str = ""
    # See devices/ecp5.toml.
    gate_chaining: float = 0.62


# A carry cell takes the places of two LUT4, a distributed RAM of 16 x 4 of four for data and two for control.
# Wide LUTs cost eight times the LUT4 on a comparison with a selection, and gain no speed.
def ecp5(name, speed, **fields):
    return Family(
        name=name, about=f"Lattice ECP5-85, speed grade {speed}",
        synthesis="synth_ecp5 -nowidelut",
        luts={"LUT4": 1, "CCU2C": 2, "TRELLIS_DPR16X4": 6},
        registers="TRELLIS_FF", blocks={"MULT18X18D": 1}, rams={"DP16KD": 18, "PDPW16KD": 18},
        nextpnr="nextpnr-ecp5",
        arguments=("--85k", "--speed", speed, "--package", "CABGA756", "--out-of-context"), pins=False,
        dsp=(18, 18), total=(83640, 156, 3744), counted="208 block RAMs of 18", **fields)


def located(line, sites):
    """Constraints: a line for each port of a wrapper that has pins."""
    ports = ["shift_in", "shift_out", "clk"]
    return {port: line.format(port=port, site=site) for port, site in zip(ports, sites.split())}


def ice40(name, device, about, arguments, **fields):
    return Family(
        name=name, about=about, synthesis=f"synth_ice40 -device {device}",
        # A carry cell sits beside the LUT of its bit.
        luts={"SB_LUT4": 1}, registers="SB_DFF.*", blocks={"SB_MAC16": 1}, rams={"SB_RAM40_4K.*": 4},
        nextpnr="nextpnr-ice40", arguments=(*arguments, "--pcf-allow-unconstrained"),
        # At 0.62 the float adders of saxpy_f32 reach 42 MHz when asked for 50.
        lut_ram=False, ram_block=4, gate_chaining=0.85, **fields)


# A lookup table of six inputs counts as 1.6 LUT4, which is how the vendor counts logic cells. Nothing places and routes:
# delays are unchecked estimates, and only areas can be measured.
def xilinx(name, about, **fields):
    return Family(
        name=name, about=about, synthesis=f"synth_xilinx -family {name} -noiopad -noclkbuf -nowidelut",
        apart="", whole="-flatten",
        luts={"LUT[1-6]|INV": 1.6, "RAM32M|RAM64M": 6.4, "RAM64X1D|RAM32X1D": 3.2, "RAM128X1D": 6.4,
              "RAM32M16|RAM64M8": 12.8, "SRL16E|SRLC32E": 1.6},
        registers="FD[RSCP]E", blocks={"DSP48E[12]": 1}, rams={"RAMB18E[12]": 18, "RAMB36E[12]": 36},
        ram_block=36, **fields)


ECP5 = ecp5("ecp5", 8, seeds=3, together=1, lanes=4, every=1)

TABLE = [
    ECP5,
    # At 0.62 the float adders of saxpy_f32 reach 85 MHz on the slowest when asked for 100.
    ecp5("ecp5-7", 7, gate_chaining=0.75),
    ecp5("ecp5-6", 6, gate_chaining=0.75),
    # Whether nextpnr routes a clock from its pin to the global network is a matter of luck.
    Family(
        name="nexus", about="Lattice Nexus LIFCL-40, speed grade 9 (high performance)",
        synthesis="synth_nexus -nowidelut",
        luts={"LUT4": 1, "WIDEFN9": 2, "CCU2": 2, "DPR16X4": 6}, registers="FD1P3.*",
        blocks={"MULT9X9": 0.5, "MULT(ADDSUB)?18X18": 1, "MULT(ADDSUB)?18X36": 2, "MULT(ADDSUB)?36X36": 4},
        rams={"PDP16K|PDPSC16K|DP16K|SP16K|PDP16K_MODE|PDPSC16K_MODE|DP16K_MODE": 18},
        nextpnr="nextpnr-nexus", arguments=("--device", "LIFCL-40-9BG400C"),
        located=located("ldc_set_location -site {{{site}}} [get_ports {port}]", "E17 F13"), together=1,
        oscillator="OSCA #(.HF_CLK_DIV(\"2\"), .HF_OSC_EN(\"ENABLED\")) oscillator (.HFOUTEN(1'b1), .HFSDSCEN(1'b1), .HFCLKOUT(clk));", tries=8,
        # https://github.com/YosysHQ/yosys/issues/4081: the first carry of a chain comes from a constant.
        location=("--pdc", "{path}"), unconnected=("CCU2", "CIN", "VLO"),
        dsp=(18, 18), total=(32256, 56, 1512), counted="84 block RAMs of 18; two large ones of 512 are left out"),
    ice40(
        "ice40up", "u -dsp", "Lattice iCE40 UltraPlus UP5K", ("--up5k", "--package", "sg48"),
        dsp=(16, 16), by_hand={"mul": (17.4, "50 MHz between registers, set by hand, unchecked: nextpnr takes blocks for registers")}, total=(5280, 8, 120), counted="30 block RAMs of 4; four large ones of 256 are left out"),
    ice40(
        "ice40hx", "hx", "Lattice iCE40 HX8K", ("--hx8k", "--package", "ct256"),
        total=(7680, 0, 128), counted="32 block RAMs of 4"),
    # nextpnr knows no delay of a lookup table that has fewer inputs than four.
    Family(
        name="gw2a", about="Gowin GW2A-18, speed grade C8/I7",
        synthesis="synth_gowin -family gw2a -nowidelut",
        luts={"LUT[1-4]": 1, "ALU": 1, "RAM16SDP4": 6, "RAM16SDP2": 3, "RAM16SDP1": 2, "RAM16S4": 6},
        registers="DFF.*", blocks={"MULT9X9": 0.5, "MULT18X18": 1, "MULT36X36": 4},
        rams={"SDPB|SDPX9B|DPB|DPX9B|SP|SPX9|pROM|pROMX9": 18},
        apart="-noflatten -noiopads", padded="iopadmap -bits -inpad IBUF O:I -outpad OBUF I:O; ",
        nextpnr="nextpnr-himbaechel-gowin",
        arguments=("--device", "GW2A-LV18PG256C8/I7", "--vopt", "family=GW2A-18"),
        located=located('IO_LOC "{port}" {site};', "T10 L14 H11"), together=1,
        wide="LUT4", location=("--vopt", "cst={path}"),
        dsp=(18, 18), by_hand={
            "mul": (5.0, "200 MHz between registers, set by hand, unchecked: nextpnr knows no delay of blocks"),
            "block_ram": (4.5, "as on the ECP5, set by hand, unchecked: nextpnr knows no delay of SDPX9B"),
        },
        total=(20736, 48, 828), flip_flops=15552, counted="46 block RAMs of 18"),
    # nextpnr sees no path out of the last carry: the sign of a difference is measured in place of a comparison.
    Family(
        name="gatemate", about="Cologne Chip GateMate CCGM1A1, speed mode, worst case",
        synthesis="synth_gatemate -luttree -nomult -nomx8",
        # Half a CPE has a tree of four inputs, a whole one a tree of five or two bits of a sum.
        luts={"CC_LUT[12]|CC_L2T4|CC_LUT4|CC_LUT3": 1, "CC_L2T5|CC_MX4": 2, "CC_ADDF": 1, "CC_MX2": 1},
        registers="CC_DFF", rams={"CC_BRAM_20K": 20, "CC_BRAM_40K": 40},
        apart="-noflatten -noiopad -noclkbuf", padded="iopadmap -bits -inpad CC_IBUF Y:I -outpad CC_OBUF A:O; clkbufmap -buf CC_BUFG O:I; ",
        nextpnr="nextpnr-himbaechel-gatemate", together=1,
        instead={
            "compare": "{{{a}[{w}-1:1], 1'(({{1'b0, {v}}} - {{1'b0, {b}}}) >> {w})}}",
            # What a tree of two-input tables has room for.
            "logic": "({v} & {a}) ^ ({b} | {c})",
        },
        arguments=("--device", "CCGM1A1", "--vopt", "allow-unconstrained"),
        lut_ram=False, total=(40960, 0, 1280), ram_block=20, counted="32 block RAMs of 40"),
    xilinx(
        "xc7", "AMD 7 series XC7A100T, speed grade -1", dsp=(24, 17),
        total=(101440, 240, 4860), counted="135 block RAMs of 36"),
    xilinx(
        "xcup", "AMD UltraScale+ ZU9EG, speed grade -2", dsp=(26, 17),
        total=(438528, 2520, 32832), counted="912 block RAMs of 36; large ones are left out"),
]

FAMILIES = {family.name: family for family in TABLE}
