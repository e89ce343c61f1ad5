"""The example kernels and the compiler, for the scripts beside this one."""

import json
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
COMPILER = ROOT / "target/release/allo-hls"
SUITE = ROOT / "rtl-tests/kernels"
COLLECTIONS = [("PolyBench", "polybench"), ("MachSuite", "machsuite")]


def examples(names=()):
    """The (path, top) of the examples with the given names, or of all; a file's last kernel is its top."""
    for path in sorted((ROOT / "examples").glob("*.py")):
        if not names or path.stem in names:
            yield path, re.findall(r"^@kernel.*\ndef (\w+)", path.read_text(), re.MULTILINE)[-1]


def cases(collection):
    """By (file, top), the first case of each kernel of a collection of the suite, by the model's account."""
    model = subprocess.run([sys.executable, "-B", f"{collection}.py"], cwd=SUITE / "models", check=True, stdout=subprocess.PIPE)
    return {(case["file"], case["top"]): case for case in reversed(json.loads(model.stdout))}


def compiler():
    if not COMPILER.exists():
        sys.exit("target/release/allo-hls is missing: run cargo build --release first")
    return COMPILER


def compile_command(path, top, *options):
    return [compiler(), path, "--top", top, *options]


def compile_kernel(path, top, output, *options):
    """Compiles one kernel; returns None, or what the compiler said on refusing it."""
    done = subprocess.run(compile_command(path, top, "-o", output, *options), stderr=subprocess.PIPE, text=True)
    return done.stderr if done.returncode else None
