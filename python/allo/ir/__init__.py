"""The older names of the types, as `allo.ir.types` has them."""

from . import types

__all__ = ["types"]
