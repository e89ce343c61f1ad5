"""The kernel language: types, names, and the decorators."""

from . import core
from .core import *  # noqa: F403
from .core import APFloat, ShapedType, Stateful, TypeBase, range  # type: ignore[attr-defined]
from .kernel import Kernel, KernelOptions, consteval, kernel, operator_ip

__all__ = [*core.__all__, "kernel", "consteval", "operator_ip"]
