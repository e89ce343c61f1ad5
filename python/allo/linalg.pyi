"""Types of `allo.linalg`."""

from .operators.linalg import *
