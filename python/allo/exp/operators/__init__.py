"""The same as `allo.operators`."""

from ...operators import abs, arith, linalg, math, max, min

__all__ = ["arith", "linalg", "math"]
