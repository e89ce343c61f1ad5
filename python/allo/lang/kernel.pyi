"""Types of the decorators and of kernels."""

from collections.abc import Callable
from inspect import Signature
from typing import Any, Generic, Literal, ParamSpec, TypeVar, overload

from ..schedule import Schedule
from .core import KernelOptions as KernelOptions
from .core import Template

P = ParamSpec("P")
R = TypeVar("R")

class Kernel(Generic[P, R]):
    fn: Callable[P, R]
    func_name: str
    __name__: str
    @property
    def signature(self) -> Signature: ...
    @property
    def options(self) -> KernelOptions: ...
    def __getitem__(self, bindings: Any) -> Kernel[P, R]: ...
    def __call__(self, *args: Any, **named: Any) -> R: ...
    def schedule(self) -> Schedule[P, R]: ...
    def compile(self) -> str: ...
    def reset(self) -> None: ...

class ConstevalFunction(Generic[P, R]):
    fn: Callable[P, R]
    __name__: str
    def __init__(self, fn: Callable[P, R]) -> None: ...
    def __call__(self, *args: P.args, **named: P.kwargs) -> R: ...

@overload
def kernel(fn: Callable[P, R], /) -> Kernel[P, R]: ...  # type: ignore[overload-overlap]
@overload
def kernel(
    *templates: Template, options: KernelOptions | None = ..., mapping: Any = ...
) -> Callable[[Callable[P, R]], Kernel[P, R]]: ...
def operator_ip(
    *,
    latency: int,
    module: str,
    ii: int = ...,
    style: Literal["free", "ce", "elastic"] = ...,
    source: str | None = ...,
    optype: Any = ...,
) -> Callable[[Callable[P, R]], Kernel[P, R]]: ...
@overload
def consteval(fn: Callable[P, R], /) -> ConstevalFunction[P, R]: ...
@overload
def consteval(*, lazy: Literal[True]) -> Callable[[Callable[P, R]], Kernel[P, R]]: ...
@overload
def consteval(
    *, lazy: Literal[False] = ...
) -> Callable[[Callable[P, R]], ConstevalFunction[P, R]]: ...
