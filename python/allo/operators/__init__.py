"""Operators of kernels."""

from .._objects import member
from . import arith, linalg, math
from .arith import *  # noqa: F403
from .arith import abs, max, min, pow

_WORKERS = ("assume", "get_nw", "get_wid")
globals().update({name: member("allo", name) for name in _WORKERS})

__all__ = ["arith", "linalg", "math", *arith.__all__, *_WORKERS]
