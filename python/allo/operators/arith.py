"""The operators of kernels that `allo.arith` has."""

from .. import _native
from .._objects import member

__all__ = _native.exported("allo.arith")
#: Of the same names as Python's: not for everybody who imports all.
_LIKE_PYTHON = ("abs", "max", "min", "pow")
globals().update({name: member("allo.arith", name) for name in [*__all__, *_LIKE_PYTHON]})
