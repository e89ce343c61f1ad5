"""The same as `allo.lang`."""

from ...lang import *  # noqa: F403
from ...lang import Kernel, Stateful, __all__, core, range
