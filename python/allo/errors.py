"""Exceptions and warnings, which carry the compiler's diagnostics."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Note:
    """A further place or explanation of a diagnostic."""

    message: str
    file: str | None = None
    line: int | None = None
    column: int | None = None
    end_line: int | None = None
    end_column: int | None = None


@dataclass(frozen=True)
class Diagnostic:
    """One message of the compiler. Lines and columns count from 1; a message without a place has none."""

    code: str
    severity: str
    message: str
    file: str | None = None
    line: int | None = None
    column: int | None = None
    end_line: int | None = None
    end_column: int | None = None
    notes: tuple[Note, ...] = ()
    help: str | None = None
    text: str = field(default="", repr=False)

    def __str__(self) -> str:
        return self.text


class AlloError(Exception):
    """What all exceptions of the compiler are: `diagnostics` are its messages, and the exception prints as they do."""

    def __init__(self, diagnostics: list[Diagnostic]) -> None:
        super().__init__("\n" + "".join(d.text for d in diagnostics).rstrip("\n"))
        self.diagnostics = diagnostics

    def __reduce__(self) -> tuple[Any, ...]:
        """Copies are made of the diagnostics, not of their text."""
        return type(self), (self.diagnostics,), self.__dict__

    @property
    def message(self) -> str:
        """The same as `error_msg`."""
        return self.error_msg

    @property
    def error_msg(self) -> str:
        """The message of the first error, without its place."""
        errors = [d for d in self.diagnostics if d.severity == "error"] or self.diagnostics
        return errors[0].message

    def render(self, color: bool = False) -> str:
        """The messages as the command line prints them."""
        return "".join(d.text for d in self.diagnostics)


class CompileError(AlloError):
    """A kernel is wrong, or has no hardware.

    Programs that find something wrong themselves make one of a text, a message and, for the place, a node of its syntax tree.
    """

    def __init__(
        self,
        diagnostics: list[Diagnostic] | str | None,
        error_msg: str = "",
        node: Any = None,
        *,
        file_name: str | None = None,
        begin_line: int = 1,
    ) -> None:
        if diagnostics is None or isinstance(diagnostics, str):
            diagnostics = [_own(diagnostics or "", error_msg, node, file_name, begin_line)]
        super().__init__(diagnostics)


def _own(text: str, message: str, node: Any, file: str | None, begin: int) -> Diagnostic:
    """A diagnostic that is not the compiler's, of a text that begins at a line of the file."""
    at = getattr(node, "lineno", None)
    if at is None:
        return Diagnostic("", "error", message, file, text=f"error: {message}\n")
    line, column = begin + at - 1, node.col_offset + 1
    lines = text.splitlines()
    shown = lines[at - 1] if 0 < at <= len(lines) else ""
    caret = " " * (len(f"{line} | ") + column - 1) + "^"
    rendered = f"{file or '<text>'}:{line}:{column}: error: {message}\n{line} | {shown}\n{caret}\n"
    return Diagnostic("", "error", message, file, line, column, text=rendered)


class RunError(AlloError, RuntimeError):
    """A run of a kernel went wrong, or hardware does something else than its kernel."""


class ScheduleError(AlloError):
    """A call on a schedule was refused."""


class ScheduleLookupError(ScheduleError, LookupError):
    """A name means no loop, buffer or kernel of the schedule."""


class AmbiguousLookupError(ScheduleLookupError):
    """A name means several."""


class ConsumedHandleError(ScheduleError):
    """An earlier call has made something else of what a reference means."""


class ScheduleStateError(ScheduleError, RuntimeError):
    """An earlier call on the schedule has failed."""


class ScheduleTypeError(ScheduleError, TypeError):
    """A reference to another kind of thing is needed, or one of the same schedule."""


class InvalidScheduleArgumentError(ScheduleError, ValueError):
    """An argument is missing, unknown or out of range."""


class ScheduleTransformError(ScheduleError):
    """What is asked for cannot be carried out."""


class CompileWarning(UserWarning):
    """Something is suspicious, but no error."""


class CompileNote(CompileWarning):
    """Something that the compiler has decided, which nobody has to mind."""


_SCHEDULE = {
    cls.__name__: cls
    for cls in (
        ScheduleLookupError,
        AmbiguousLookupError,
        ConsumedHandleError,
        ScheduleStateError,
        ScheduleTypeError,
        InvalidScheduleArgumentError,
        ScheduleTransformError,
    )
}


def _made(texts: list[str], parts: list[dict[str, Any]]) -> list[Diagnostic]:
    made = []
    for text, part in zip(texts, parts):
        notes = tuple(Note(**note) for note in part.pop("notes"))
        made.append(Diagnostic(**part, notes=notes, text=text))
    return made


def compile_error(texts: list[str], parts: list[dict[str, Any]]) -> Exception:
    return CompileError(_made(texts, parts))


def run_error(texts: list[str], parts: list[dict[str, Any]]) -> Exception:
    return RunError(_made(texts, parts))


def schedule_error(texts: list[str], parts: list[dict[str, Any]]) -> Exception:
    diagnostics = _made(texts, parts)
    name = diagnostics[0].message.partition(":")[0]
    return _SCHEDULE.get(name, ScheduleError)(diagnostics)


def warn(texts: list[str], parts: list[dict[str, Any]]) -> None:
    for diagnostic in _made(texts, parts):
        # At the line of the user's that is outside of the package.
        kind = CompileNote if diagnostic.severity == "note" else CompileWarning
        warnings.warn(kind(diagnostic.text.rstrip("\n")), stacklevel=_depth())


def _depth() -> int:
    import os
    import sys

    here = os.path.dirname(__file__)
    frame, depth = sys._getframe(1), 1
    while frame.f_back is not None and frame.f_code.co_filename.startswith(here):
        frame, depth = frame.f_back, depth + 1
    return depth
