"""The kernel language: types, names, and the decorators."""

from . import core
from .core import *  # noqa: F403
from .core import APFloat, ShapedType, Stateful, TypeBase, range, unwrap_if_constexpr  # type: ignore[attr-defined]
from .kernel import Kernel, KernelOptions, Module, consteval, kernel, operator_ip

__all__ = [*core.__all__, "kernel", "consteval", "operator_ip"]
