"""The same as `allo.backend`."""

from ...backend import *  # noqa: F403
from ...backend import __all__
