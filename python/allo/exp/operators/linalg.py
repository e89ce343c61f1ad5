"""The same as `allo.operators.linalg`."""

from ...operators.linalg import *  # noqa: F403
from ...operators.linalg import __all__
