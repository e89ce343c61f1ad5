"""The same as `allo.backend.rtl`."""

from ...backend.rtl import *  # noqa: F403
from ...backend.rtl import __all__
