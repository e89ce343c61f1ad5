"""The same as `allo.compiler.errors`."""

from ...compiler.errors import *  # noqa: F403
from ...compiler.errors import __all__
