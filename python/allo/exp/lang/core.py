"""The same as `allo.lang.core`."""

from ...lang.core import *  # noqa: F403
from ...lang.core import Stateful, range
