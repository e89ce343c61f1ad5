"""The same as `allo.lang.kernel`."""

from ...lang.kernel import Kernel, KernelOptions, consteval, kernel

__all__ = ["Kernel", "KernelOptions", "consteval", "kernel"]
