"""Kernels of a small typed language in Python, compiled to pipelined SystemVerilog that is proven by co-simulation."""

from ._native import VERSION as __version__
from . import errors, lang, operators, pto
from .errors import CompileError, CompileNote, CompileWarning, Diagnostic, RunError, ScheduleError
from .lang import *  # noqa: F403
from .lang import Kernel, Stateful, range
from .operators import abs, arith, linalg, math, max, min

__all__ = [
    *lang.__all__,
    "CompileError",
    "CompileNote",
    "CompileWarning",
    "Diagnostic",
    "RunError",
    "ScheduleError",
]
