"""The same as `allo.schedule`."""

from ...schedule import *  # noqa: F403
from ...schedule import __all__
