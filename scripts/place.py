"""Synthesis, placement and timing of one design on a family of scripts/families.py, for the scripts beside this one."""

import json
import re
import statistics
import subprocess
import sys
from collections import Counter
from pathlib import Path

from families import ECP5
from registered import registered

ROOT = Path(__file__).resolve().parent.parent
TOOLS = ROOT / "target/tools/venv/bin"


def tool(program):
    """The path of one of the pinned tools of scripts/setup --synth, which has to be there."""
    path = TOOLS / f"yowasp-{program}"
    if not path.exists():
        sys.exit(f"{program} is missing: run scripts/setup --synth first")
    return path


def run(program, *args, tries=1):
    """Runs one of these tools and returns all that it printed. With an argument for the `seed`, which is a function, one that fails
    is run again with the next one."""
    for attempt in range(tries):
        words = [str(arg(attempt) if callable(arg) else arg) for arg in args]
        done = subprocess.run([tool(program), *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if not done.returncode:
            break
    if done.returncode:
        sys.exit(f"{program} failed:\n" + "\n".join(done.stdout.splitlines()[-20:]))
    return done.stdout


def version(program):
    return re.search(r"\d+\.\d+(\.\d+)?", run(program, "--version")).group()


def synthesise(source, top, work, family=ECP5):
    """Maps a SystemVerilog file to a family's cells; returns the netlist's path and the number of cells by type."""
    netlist = work / f"{top}.json"
    run("yosys", "-q", "-p", f"read_verilog -sv {source}; {family.synthesis} {family.whole} -top {top} -json {netlist}")
    return netlist, cells(netlist, top)


def synthesise_parts(source, top, work, family):
    """As `synthesise`, each module by itself; returns the cells of each module by its name."""
    netlist, parts = work / f"{top}.json", work / f"{top}.parts.json"
    run("yosys", "-q", "-p", f"read_verilog -sv {source}; {family.synthesis} {family.apart} -top {top}; "
        f"write_json {parts}; flatten; clean; {family.padded}write_json {netlist}")
    names = json.loads(parts.read_text())["modules"]
    return netlist, {name: cells(parts, name) for name in names}


def cells(netlist, module):
    """The number of cells of a module by type."""
    found = json.loads(netlist.read_text())["modules"][module]["cells"]
    return Counter(cell["type"] for cell in found.values())


def accepted(netlist, family):
    """The netlist as the placer takes it; and its ports."""
    design = json.loads(netlist.read_text())
    # All other modules are the family's cells.
    top = next(module for module in design["modules"].values() if "top" in module.get("attributes", {}))
    if family.unconnected:
        disconnect(top["cells"].values(), *family.unconnected)
    if family.wide:
        widen(top["cells"].values(), family.wide)
    if family.unconnected or family.wide:
        netlist = netlist.with_suffix(".accepted.json")
        netlist.write_text(json.dumps(design))
    return netlist, list(top["ports"])


def disconnect(cells, kind, port, driver):
    """Takes a port of all cells of a kind off what cells of another kind drive."""
    driven = {bit for cell in cells if cell["type"] == driver for bits in cell["connections"].values() for bit in bits}
    for cell in cells:
        if cell["type"] == kind and driven.intersection(cell["connections"].get(port, ())):
            del cell["connections"][port]


def widen(cells, wide):
    """Has lookup tables of fewer inputs be the widest one, whose other inputs are the first one once more and change nothing."""
    name, inputs = re.fullmatch(r"(\D+)(\d+)", wide).groups()
    for cell in cells:
        narrow = re.fullmatch(name + r"(\d+)", cell["type"])
        for free in range(int(narrow[1]) if narrow else int(inputs), int(inputs)):
            cell["connections"][f"I{free}"] = cell["connections"]["I0"]
            cell["port_directions"][f"I{free}"] = "input"
            cell["parameters"]["INIT"] *= 2
            cell["type"] = wide


def place(netlist, work, mhz, seed=1, family=ECP5):
    """Places and routes; returns nextpnr's report, delays in ns."""
    report, pins = work / "report.json", work / "pins.txt"
    netlist, ports = accepted(netlist, family)
    pins.write_text("".join(family.located[port] + "\n" for port in ports if port in family.located))
    location = [argument.format(path=pins) for argument in family.location]
    run(family.nextpnr, *family.arguments, *location, "--quiet",
        "--timing-allow-fail", "--freq", mhz, "--seed", lambda attempt: seed + 1000 * attempt, "--json", netlist, "--report", report,
        tries=family.tries)
    return json.loads(report.read_text())


def fmax(report, clock=""):
    """The clock in MHz between registers, or None where no path lies between two registers. Of one clock, if one is named."""
    clocks = (found["achieved"] for name, found in report["fmax"].items() if clock in name)
    return min(clocks, default=None)


def clock(source, top, netlist, port, work, mhz, seeds=1, family=ECP5):
    """The clock in MHz, the median of so many placements, of a synthesised module with registers at its ports, so that all paths
    lie between registers; `None` where there is no path."""
    wrapped, wrapper = registered(source, top, netlist, port, work, family.pins, family.oscillator)
    netlist, _ = synthesise(wrapped, wrapper, work, family)
    clocks = [fmax(place(netlist, work, mhz, seed, family)) for seed in range(1, seeds + 1)]
    return None if None in clocks else statistics.median(clocks)


def critical_path(report, clock=""):
    """The segments of the slowest path from register to register."""
    ends = [(path, {path["from"], path["to"]}) for path in report["critical_paths"]]
    paths = [path for path, ends in ends if "<async>" not in ends and all(clock in end for end in ends)]
    return max((path["path"] for path in paths), key=lambda path: sum(part["delay"] for part in path), default=[])


def counted(cells, weights):
    """What cells count for by the first pattern that each one has."""
    def weight(name):
        return next((weight for pattern, weight in weights.items() if re.fullmatch(pattern, name)), 0)
    return sum(weight(name) * count for name, count in cells.items())


def luts(cells, family=ECP5):
    """LUT4, those of carry chains and memories among them."""
    return counted(cells, family.luts)
