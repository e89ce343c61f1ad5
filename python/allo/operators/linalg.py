"""The operators of kernels that `allo.linalg` has."""

from .. import _native
from .._objects import member

__all__ = _native.exported("allo.linalg")
globals().update({name: member("allo.linalg", name) for name in __all__})
