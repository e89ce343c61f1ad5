"""The names of the package as its experimental line has them."""

from .. import lang, operators, schedule
from ..lang import *  # noqa: F403

__all__ = lang.__all__  # type: ignore[attr-defined]
