"""The same as `allo.backend.vitis.core`."""

from ....backend.vitis.core import *  # noqa: F403
from ....backend.vitis.core import __all__
