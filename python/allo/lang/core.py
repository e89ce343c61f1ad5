"""Types and names of the kernel language."""

from __future__ import annotations

from typing import Any

from .. import _native
from .._objects import (
    DType,
    KernelOptions,
    ShapedType,
    StreamType,
    Template,
    TypeBase,
    apfloat,
    apint,
    member,
)

APInt = apint
APFloat = apfloat
BufferType = ShapedType

#: Names that are defined above or with the decorators.
_OWN = {"Template", "KernelOptions", "apint", "APInt", "apfloat", "kernel", "consteval", "operator_ip"}
_names = [name for name in _native.exported("allo") if name not in _OWN]
globals().update({name: member("allo", name) for name in [*_names, "range"]})


def unwrap_if_constexpr(value: Any) -> Any:
    """The value: constants are Python's own."""
    return value


__all__ = sorted(
    {*_names, "Template", "KernelOptions", "apint", "APInt", "apfloat", "DType", "StreamType"}
)
