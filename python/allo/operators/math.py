"""The operators of kernels that `allo.math` has."""

from .. import _native
from .._objects import member

__all__ = _native.exported("allo.math")
globals().update({name: member("allo.math", name) for name in __all__})
