"""What `schedule.export(...)` gives: the kernel run by the software reference, or as hardware."""

from __future__ import annotations

import builtins
import os
import pathlib
import tempfile
import warnings
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from .. import _native
from ..errors import CompileNote

R = TypeVar("R")

__all__ = ["CPU", "CosimResult", "ProofResult", "RTL"]


class CPU(Generic[R]):
    """The kernel as it is scheduled, run by the software reference: of a schedule, or of a kernel without one.

    What published programs say of their machine code is accepted, and means nothing here.
    """

    name = "cpu"

    def __init__(self, schedule: Any = None, *, opt_level: int = 2, shared_libs: Any = ()) -> None:
        if schedule is not None and not isinstance(schedule, _native.Schedule):
            schedule = schedule.schedule()
        self._software = None if schedule is None else _native.software(schedule)

    def _ready(self) -> _native.Compiled:
        if self._software is None:
            raise TypeError("this CPU has no schedule to run: it is a context, in which calls of kernels run")
        return self._software

    def __call__(self, *args: Any, **named: Any) -> R:
        """Runs the kernel: arrays are changed in place, and the result is returned."""
        result: R = self._ready().run(args, named or None)
        return result

    run = __call__

    def reset(self) -> None:
        """Sets `Stateful` variables to what they are at first."""
        self._ready().reset()

    def __enter__(self) -> CPU[R]:
        """`with CPU():` calls of kernels are run by the software reference, as they are anywhere."""
        return self

    def __exit__(self, *error: object) -> None:
        pass


@dataclass(frozen=True)
class CosimResult:
    """A comparison in which all values were equal; another one raises `RunError`."""

    #: Cycles of each invocation.
    all_cycles: list[int]
    #: Values compared.
    compared: int
    #: Values that the language leaves open, which were not.
    unspecified: int
    #: Cycles between invocations that follow one another without a pause, if that was tried.
    interval: int | None
    #: A summary with the loops and what of the source was exercised.
    text: str
    #: What the module returned for the arguments; None for random ones.
    result: Any = None
    #: The file of the waveform, if one was asked for.
    waveform: str | None = None
    #: The clock, in MHz.
    freq_mhz: float = 0.0

    @property
    def latency_ns(self) -> float:
        """Nanoseconds of the longest invocation."""
        return self.cycles * 1000.0 / self.freq_mhz if self.freq_mhz else 0.0

    @property
    def cycles(self) -> int:
        """Cycles of the longest invocation."""
        return max(self.all_cycles, default=0)

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class ProofResult:
    """What a proof has come to. One that refutes the hardware raises `RunError`."""

    #: Whether the hardware is proven for all inputs.
    proven: bool
    #: Why it is not.
    reason: str = ""
    #: Bits of results compared, and of these, those that the solver decided.
    compared: int = 0
    solved: int = 0
    #: Cycles of the longest invocation.
    cycles: int = 0

    def __bool__(self) -> bool:
        return self.proven


@dataclass(frozen=True)
class Report:
    """What a build takes, line by line, and what binds its loops; a notebook shows it as a page."""

    #: For a terminal.
    text: str
    #: A page without anything from elsewhere.
    html: str
    #: The same as data.
    json: str

    def __str__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        from .._frame import framed

        return framed(self.html)


class RTL(Generic[R]):
    """Hardware of a kernel. Calling it simulates the module: the netlist, or by Verilator the text."""

    def __init__(self, schedule: _native.Schedule, backend: str, aim: dict[str, Any]) -> None:
        self.name = backend
        self._hardware = _native.Hardware(schedule, aim)
        self._software = _native.software(schedule)
        self._verilator = backend == "verilator"
        self._cycles: int | None = None

    def __call__(self, *args: Any, **named: Any) -> R:
        """Runs the module: arrays are changed in place, the result is returned, and `cycles` says how long it took."""
        result: R
        result, self._cycles = self._hardware.run(args, named or None, self._verilator)
        return result

    def run(self, *args: Any, **named: Any) -> Any:
        """The same; `run("csim", ...)` and `run("cosim", ...)` are those methods."""
        # No argument of a kernel is a text.
        if args and isinstance(args[0], str) and args[0] in ("csim", "cosim"):
            return getattr(self, args[0])(*args[1:], **named)
        return self(*args, **named)

    def compile(self) -> RTL[R]:
        """The module itself: it is compiled already."""
        return self

    @property
    def freq_mhz(self) -> float:
        """The clock that the module was made for, in MHz."""
        return float(self.resources()["mhz"])

    def set_scheduler_opt(self, **options: Any) -> RTL[R]:
        """Accepted for published programs; of no effect, which a note says."""
        _reject(options)
        _has_no_effect("set_scheduler_opt()", 3)
        return self

    def use_trivial_binding(self) -> RTL[R]:
        """Accepted for published programs; of no effect, which a note says."""
        _has_no_effect("use_trivial_binding()", 3)
        return self

    def tighten_clock(self, *args: Any, **options: Any) -> RTL[R]:
        """Accepted for published programs; of no effect, which a note says."""
        _has_no_effect("tighten_clock()", 3)
        return self

    def csim(self, *args: Any, **named: Any) -> R:
        """Runs the software reference in place of the module."""
        result: R = self._software.run(args, named or None)
        return result

    def reset(self) -> None:
        """Resets the module: `Stateful` variables are what they are at first."""
        self._software.reset()
        self._hardware.reset()

    @property
    def top(self) -> str:
        """Name of the module."""
        return str(self.manifest["module"])

    @property
    def cycles(self) -> int | None:
        """Cycles of the last call, or None before the first."""
        return self._cycles

    @property
    def verilog(self) -> str:
        """The SystemVerilog text."""
        return self._hardware.verilog

    @property
    def manifest(self) -> dict[str, Any]:
        """The description of the module: ports, latency, loops."""
        return self._hardware.manifest

    @property
    def directives(self) -> str:
        """What the schedule says, as a file for the command line's `--directives`."""
        return self._hardware.directives

    def cosim(
        self,
        *args: Any,
        vectors: int = 16,
        seed: int = 1,
        waveform: str | os.PathLike[str] | None = None,
        waves: builtins.bool = False,
        simulator: str | None = None,
        timeout: int | None = None,
        stall_prob: float = 0.0,
    ) -> CosimResult:
        """Compares the hardware with the software reference, bit for bit.

        With arguments, on these, and the arrays are changed in place as by a call; without, on so many random ones.
        With `waveform`, a file of the first run, with `waves`, `<module>.fst` (of Verilator `.vcd`). The rest is accepted
        for programs that say it: streams always pause at random, and a module that makes no progress is always found out.
        """
        for name, count, least in (("vectors", vectors, 1), ("seed", seed, 0)):
            _check_count(name, count, least)
        if not self._verilator and waveform is not None and os.fspath(waveform).endswith(".vcd"):
            raise ValueError("cosim: waveform= is written as FST; export(\"verilator\") writes VCD")
        if simulator not in (None, "verilator"):
            raise ValueError(f"there is no simulator '{simulator}': export(\"verilator\") runs Verilator")
        if waves and waveform is None:
            waveform = f"{self.top}.{'vcd' if self._verilator else 'fst'}"
        found = self._hardware.cosim(args, vectors, seed, self._verilator, waveform)
        result = self(*args) if args else None
        file = None if waveform is None else os.fspath(waveform)
        return CosimResult(found.pop("cycles"), **found, result=result, waveform=file, freq_mhz=self.freq_mhz)

    def prove(self, time: float = 60.0) -> ProofResult:
        """Proves that the hardware computes the kernel for all inputs, within so many seconds."""
        return ProofResult(**self._hardware.prove(time))

    def schedule_table(self) -> list[dict[str, Any]]:
        """A dict for each loop: name, line, trip counts, initiation interval, depth, and what bounds the interval."""
        return list(self.manifest["loops"])

    def resources(self) -> dict[str, Any]:
        """What the hardware is forecast to take: `luts`, `registers`, `dsp`, `ram_bits`, of which `device`, at how many `mhz`."""
        return self._hardware.resources()

    def report(self, trials: int = 12) -> Report:
        """What the build takes, line by line, and what binds its loops; `trials` builds at most find out what would help."""
        if trials < 0:
            raise ValueError(f"report: trials= is not negative, but it is {trials}")
        return Report(*self._hardware.report(trials))

    def write(self, folder: str | os.PathLike[str]) -> list[pathlib.Path]:
        """Writes the module, its manifest and the directives into a folder, made if need be. Gives the paths."""
        folder = pathlib.Path(folder)
        folder.mkdir(parents=True, exist_ok=True)
        module = self.manifest["module"]
        texts = {
            f"{module}.sv": self.verilog,
            f"{module}.json": self._hardware.manifest_text,
            f"{module}.toml": self.directives,
        }
        return [_write(folder / name, text) for name, text in texts.items()]


def _check_count(name: str, count: Any, least: int) -> None:
    """Refuses what is no number from the least one up to 2^64 - 1."""
    if not hasattr(count, "__index__"):
        raise TypeError(f"cosim: {name}= is a number, not {count!r}")
    if count < least:
        raise ValueError(f"cosim: {name}= is at least {least}, but it is {count}")
    if count >= 1 << 64:
        raise ValueError(f"cosim: {name}= has 64 bits at most, but it is {count}")


def _write(path: pathlib.Path, text: str) -> pathlib.Path:
    """Writes a file that appears whole or not at all."""
    handle, name = tempfile.mkstemp(dir=path.parent)
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
        mask = os.umask(0)
        os.umask(mask)
        os.chmod(name, 0o666 & ~mask)
        os.replace(name, path)
    except BaseException:
        os.unlink(name)
        raise
    return path


#: What the published package's backend takes and ours has no use for: the values with which it means the same here.
_MEANINGLESS: dict[str, tuple[Any, ...]] = {
    "simulator": ("verilator", None),
    "float_reassoc": (False, None),
    "accumulators": (0, None),
    "library": (None,),
}

#: What steers its scheduler, and changes no result: of no effect here, which a note says if it is not what is usual there.
_UNHEEDED: dict[str, Any] = {
    "unroll_under_pipeline": True,
    "perfectize": False,
    "binding": "trivial",
    "scalarize_threshold": None,
    "scheduler": None,
    "O": None,
    "budget": None,
    "clock_margin": None,
    "deterministic": None,
    "seed": None,
    "workers": None,
}


def _has_no_effect(what: str, level: int) -> None:
    """A note about what is accepted, at a caller so many levels up."""
    message = f"{what} has no effect: it is about the published package's scheduler"
    warnings.warn(message, CompileNote, stacklevel=level)


def _reject(options: dict[str, Any]) -> None:
    """Refuses values of options that would change a result."""
    for name, value in options.items():
        if name in _MEANINGLESS and value not in _MEANINGLESS[name]:
            raise ValueError(f"export: {name}={value!r} is not supported, only {_MEANINGLESS[name][0]!r}")
        if name not in _MEANINGLESS and name not in _UNHEEDED:
            raise TypeError(f"there is no option '{name}'")


#: The types of options, and how they are called; a clock may be a number of megahertz.
_TYPES: dict[str, tuple[tuple[type, ...], str]] = {
    "device": ((str,), "a name"),
    "clock": ((str, int, float), "a frequency, such as '100MHz'"),
    "level": ((str, int), "a number from 0 to 3"),
    "strict": ((builtins.bool,), "True or False"),
    "max_dsp": ((int, type(None)), "a number"),
    "max_lut": ((int, type(None)), "a number"),
    "max_ram": ((int, type(None)), "a number of kbit"),
    "partition_args": ((builtins.bool,), "True or False"),
    "effort": ((int,), "a number"),
    "check": ((str, int), "'off', 'quick', 'full' or millions of operations"),
}


def _checked(name: str, value: Any) -> Any:
    types, what = _TYPES[name]
    is_other = isinstance(value, builtins.bool) and builtins.bool not in types
    if is_other or not isinstance(value, types):
        raise TypeError(f"export: {name}= is {what}, not {value!r}")
    if (name.startswith("max_") or name == "effort") and value is not None and value < 0:
        raise ValueError(f"export: {name}= is not negative, but it is {value}")
    return value


def _aim(options: dict[str, Any]) -> dict[str, Any]:
    """The options of a build, each with its value or the default."""
    aim: dict[str, Any] = {
        "device": "ecp5",
        "clock": "100MHz",
        "level": 2,
        "strict": False,
        "max_dsp": None,
        "max_lut": None,
        "max_ram": None,
        "partition_args": False,
        "effort": 1,
        "check": "quick",
    }
    if options.get("freq_mhz") is not None and options.get("clock") is not None:
        raise TypeError("export: clock= and freq_mhz= say the same thing: give one of them")
    for name, value in options.items():
        if name == "freq_mhz":
            name, value = "clock", None if value is None else f"{value}MHz"
        if name in ("clock", "device") and value is None:
            continue
        if name in aim:
            aim[name] = _checked(name, value)
        elif name in _MEANINGLESS:
            _reject({name: value})
        elif name in _UNHEEDED:
            if value is not None and value != _UNHEEDED[name]:
                _has_no_effect(f"export: {name}=", 5)
        else:
            raise TypeError(f"export has no option '{name}'; its options are {', '.join(aim)}, freq_mhz")
    if isinstance(aim["clock"], (int, float)):
        aim["clock"] = f"{aim['clock']}MHz"
    aim["level"] = str(aim["level"])
    aim["check"] = str(aim["check"])
    return aim


def _of_software(options: dict[str, Any]) -> dict[str, Any]:
    """The options of the backend "cpu", of which those of hardware are none."""
    for name in options:
        if name not in ("opt_level", "shared_libs"):
            kind = "an option of hardware" if name in (*_TYPES, "freq_mhz") else "no option"
            raise TypeError(f"export: {name}= is {kind}; \"cpu\" is the software reference and takes none")
    return options


def export(schedule: _native.Schedule, backend: str, options: dict[str, Any]) -> Any:
    """What `Schedule.export` gives."""
    if backend == "cpu":
        return CPU(schedule, **_of_software(options))
    if backend in ("rtl", "verilator"):
        return RTL(schedule, backend, _aim(options))
    raise ValueError(f"there is no backend '{backend}': there are \"cpu\", \"rtl\" and \"verilator\"")
