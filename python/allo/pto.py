"""`allo.pto`: types and operations of kernels of the style "pto"."""

from . import _native
from ._objects import member

__all__ = _native.exported("allo.pto")
globals().update({name: member("allo.pto", name) for name in __all__})
