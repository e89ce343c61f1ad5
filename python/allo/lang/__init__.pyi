"""Types of `allo.lang`."""

from . import core as core
from .core import *
from .core import Stateful as Stateful
from .core import range as range
from .core import unwrap_if_constexpr as unwrap_if_constexpr
from .kernel import Kernel as Kernel
from .kernel import Module as Module
from .kernel import consteval as consteval
from .kernel import kernel as kernel
from .kernel import operator_ip as operator_ip
