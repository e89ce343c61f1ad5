"""The same as `allo.schedule.errors`."""

from ...schedule.errors import *  # noqa: F403
from ...schedule.errors import __all__
