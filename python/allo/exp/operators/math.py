"""The same as `allo.operators.math`."""

from ...operators.math import *  # noqa: F403
from ...operators.math import __all__
