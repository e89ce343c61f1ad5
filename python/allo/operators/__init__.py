"""Operators of kernels."""

from . import arith, linalg, math
from .arith import abs, max, min

__all__ = ["arith", "linalg", "math"]
