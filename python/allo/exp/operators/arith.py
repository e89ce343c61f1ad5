"""The same as `allo.operators.arith`."""

from ...operators.arith import *  # noqa: F403
from ...operators.arith import __all__
