"""Types of `allo.exp.lang`."""

from ...lang import *
from ...lang import Stateful as Stateful
from ...lang import range as range
