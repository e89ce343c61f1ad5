"""The types by their older names: `int32`, `uint8`, `float16`, `index`, `Int(12)`, `UInt(3)`, any width."""

from __future__ import annotations

from typing import Any

from .. import _native
from .._objects import DType, member

ConstExpr = member("allo", "constexpr")
stateful = member("allo", "Stateful")


def Int(width: int) -> DType:
    """A signed integer type."""
    return member("allo", f"i{width}")


def UInt(width: int) -> DType:
    """An unsigned integer type."""
    return member("allo", f"u{width}")


def __getattr__(name: str) -> Any:
    ty = _native.scalar_in("allo.ir.types", name)
    if ty is None:
        raise AttributeError(f"module 'allo.ir.types' has no attribute '{name}'")
    return DType(ty)
