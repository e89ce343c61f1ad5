"""The same as `allo.backend.vitis`."""

from ....backend.vitis import *  # noqa: F403
from ....backend.vitis import __all__
