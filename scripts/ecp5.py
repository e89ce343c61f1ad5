"""Synthesis, placement and timing of one design on a Lattice ECP5-85, for the scripts beside this one."""

import json
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TOOLS = ROOT / "target/tools/venv/bin"


def run(program, *args):
    """Runs one of the pinned tools of scripts/setup --synth and returns all that it printed."""
    path = TOOLS / f"yowasp-{program}"
    if not path.exists():
        sys.exit(f"{program} is missing: run scripts/setup --synth first")
    done = subprocess.run([path, *map(str, args)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        sys.exit(f"{program} failed:\n" + "\n".join(done.stdout.splitlines()[-20:]))
    return done.stdout


def version(program):
    return re.search(r"\d+\.\d+(\.\d+)?", run(program, "--version")).group()


def synthesise(source, top, work):
    """Maps a SystemVerilog file to ECP5 cells; returns the netlist's path and the number of cells by type."""
    # Wide LUTs cost eight times the LUT4 on a comparison with a selection, and gain no speed.
    netlist = work / f"{top}.json"
    run("yosys", "-q", "-p", f"read_verilog -sv {source}; synth_ecp5 -nowidelut -top {top} -json {netlist}")
    cells = json.loads(netlist.read_text())["modules"][top]["cells"]
    return netlist, Counter(cell["type"] for cell in cells.values())


def place(netlist, work, mhz, seed=1):
    """Places and routes out of context (no pins); returns nextpnr's report, delays in ns."""
    report = work / "report.json"
    run("nextpnr-ecp5", "--85k", "--speed", 8, "--package", "CABGA756", "--out-of-context", "--quiet",
        "--timing-allow-fail", "--freq", mhz, "--seed", seed, "--json", netlist, "--report", report)
    return json.loads(report.read_text())


def fmax(report):
    """The clock in MHz between registers, or None where no path lies between two registers."""
    return min((clock["achieved"] for clock in report["fmax"].values()), default=None)


def critical_path(report):
    """The segments of the slowest path from register to register."""
    paths = [path for path in report["critical_paths"] if not {"<async>"} & {path["from"], path["to"]}]
    return max((path["path"] for path in paths), key=lambda path: sum(part["delay"] for part in path), default=[])
