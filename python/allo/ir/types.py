"""The types by their older names: `int32`, `uint8`, `float16`, `index`, `Int(12)`, `UInt(3)`, any width."""

from __future__ import annotations

from typing import Any

from .. import _native
from .._objects import DType, apint, member

ConstExpr = member("allo", "constexpr")
stateful = member("allo", "Stateful")


def Int(width: int) -> DType:
    """The signed integer type of that width."""
    return apint(width, True)


def UInt(width: int) -> DType:
    """The unsigned integer type of that width."""
    return apint(width)


Int._allo_ = ("name", "allo.ir.types.Int")  # type: ignore[attr-defined]
UInt._allo_ = ("name", "allo.ir.types.UInt")  # type: ignore[attr-defined]


def __getattr__(name: str) -> Any:
    ty = _native.scalar_in("allo.ir.types", name)
    if ty is None:
        raise AttributeError(f"module 'allo.ir.types' has no attribute '{name}'")
    return DType(ty)
