"""The same as `allo.backend.cpu`."""

from ...backend.cpu import *  # noqa: F403
from ...backend.cpu import __all__
