"""Schedules: how a kernel is mapped to hardware. They change cycles and area, never a result.

The methods are those of the compiler, by name: `SCHEDULE_METHODS` of the extension lists them. A call is carried out
at once; one that is refused raises an error of `allo.schedule.errors`, and the schedule stays what it was before.
"""

from __future__ import annotations

from typing import Any, Callable

from .. import _native
from .._objects import Name
from .errors import *  # noqa: F403
from .errors import __all__ as _errors

Ref = LoopRef = BufferRef = OpRef = _native.Ref

#: Methods that Python has an own form of.
_OWN = {"export"}


class Schedule(_native.Schedule):
    """A schedule of a kernel, from `kernel.schedule()`."""

    def export(self, backend: str = "rtl", **options: Any) -> Any:
        """What runs the kernel as it is scheduled: the software reference ("cpu"), the netlist ("rtl"), or Verilator."""
        from .. import backend as backends

        return backends.export(self, backend, options)

    def export_cpu(self, **options: Any) -> Any:
        """The same as `export("cpu")`."""
        return self.export("cpu", **options)

    def __call__(self, *args: Any, **named: Any) -> Any:
        """Runs the kernel as it is scheduled: by the software reference, or by the backend that the first argument names."""
        backend = "cpu"
        # No argument of a kernel is a text.
        if args and isinstance(args[0], str):
            backend, args = args[0], args[1:]
        return self.export(backend)(*args, **named)

    @property
    def module(self) -> str:
        """The same as `payload`."""
        return self.payload

    def __str__(self) -> str:
        return self.payload


class Constant(Name):
    """A constant of schedules, such as `Schedule.Cyclic`."""


def _method(name: str) -> Callable[..., Any]:
    def method(self: Schedule, *args: Any, **named: Any) -> Any:
        return self._call(name, args, named)

    method.__name__ = name
    method.__qualname__ = f"Schedule.{name}"
    return method


for _name in _native.SCHEDULE_METHODS:
    if _name not in _OWN:
        setattr(Schedule, _name, _method(_name))
for _name in _native.SCHEDULE_CONSTANTS:
    setattr(Schedule, _name, Constant(f"allo.Schedule.{_name}"))

__all__ = ["BufferRef", "LoopRef", "OpRef", "Ref", "Schedule", *_errors]
