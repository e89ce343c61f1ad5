"""Types of `allo.arith`."""

from .operators.arith import *
