"""Types of `allo.math`."""

from .operators.math import *
