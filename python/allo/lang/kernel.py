"""The decorators: kernels are objects that hold their function, and are compiled when first called or exported."""

from __future__ import annotations

import builtins
import inspect
import linecache
import os
import sys
from types import FrameType
from typing import Any, Callable

from .. import _native
from .._objects import KernelOptions, Name, ShapedType, Template, member

__all__ = ["Kernel", "KernelOptions", "consteval", "kernel", "operator_ip"]

#: What annotations may use without an import.
_WITHOUT_IMPORT = {name: member("allo", name) for name in ("Stream", "Stateful", "constexpr")}


class Definition:
    """A kernel's function with what its decorator says; what the compiler asks when it compiles it."""

    def __init__(
        self,
        fn: Callable[..., Any],
        templates: tuple[Template, ...],
        options: KernelOptions | None,
        mapping: tuple[Any, ...],
        scope: dict[str, Any],
        foreign: dict[str, Any] | None = None,
    ) -> None:
        self.fn = fn
        self.templates = templates
        self.options = options
        self.mapping = mapping
        self.scope = scope
        self.foreign = foreign

    def place(self) -> tuple[str, str, int, str]:
        """Name and whole text of the file, the function's first line, its name."""
        code = self.fn.__code__
        lines = linecache.getlines(code.co_filename, self.fn.__globals__)
        if not lines:
            raise OSError(
                f"the text of kernel '{code.co_name}' cannot be found: a kernel is written in a file, a notebook or "
                "an interactive session that keeps its text"
            )
        return _shown(code.co_filename), "".join(lines), code.co_firstlineno, code.co_name

    def lookup(self, name: str) -> tuple[Any] | None:
        """What a name means to the function, in a tuple, or None: from inside out, without Python's built-ins."""
        fn = self.fn
        if name in fn.__code__.co_freevars:
            try:
                return (fn.__closure__[fn.__code__.co_freevars.index(name)].cell_contents,)
            except ValueError:
                return None  # It has no value yet.
        for names in (self.scope, fn.__globals__, _WITHOUT_IMPORT):
            if name in names:
                return (names[name],)
        return None


def _shown(file: str) -> str:
    """The name of a file as messages show it: from the working directory on, where it is below."""
    try:
        below = os.path.relpath(file)
    except ValueError:
        return file
    return file if below.startswith("..") or not os.path.isabs(file) else below


class Kernel:
    """A kernel. It can be called, specialised with values for its templates, and scheduled."""

    def __init__(self, definition: Definition, bindings: tuple[Any, ...] = ()) -> None:
        fn = definition.fn
        self._definition = definition
        self._bindings = bindings
        self._compiled: _native.Compiled | None = None
        #: By what is bound: a specialised kernel is made once, and keeps its state.
        self._specialised: dict[tuple[Any, ...], Kernel] = {}
        self.fn = fn
        self.__name__ = self.func_name = fn.__name__
        self.__qualname__ = fn.__qualname__
        self.__module__ = fn.__module__
        self.__doc__ = fn.__doc__

    @property
    def _allo_(self) -> tuple[Any, ...]:
        return ("kernel", self._definition, self._bindings)

    @property
    def signature(self) -> inspect.Signature:
        """That of the function."""
        return inspect.signature(self.fn)

    @property
    def options(self) -> KernelOptions:
        """Those of the decorator."""
        return self._definition.options or KernelOptions()

    def __getitem__(self, bindings: Any) -> Kernel:
        if self._bindings:
            raise TypeError(f"kernel '{self.__name__}' is specialised already")
        bindings = bindings if isinstance(bindings, tuple) else (bindings,)
        needed = len(self._definition.templates)
        if len(bindings) != needed:
            raise TypeError(
                f"kernel '{self.__name__}' has {needed} templates, but {len(bindings)} values are given"
            )
        for value in bindings:
            if isinstance(value, (ShapedType, Name, str)) or value is None:
                raise TypeError(f"a template of '{self.__name__}' is bound to a type or a number, not {value!r}")
        # `1` and `True` are equal, but not the same.
        key = tuple((type(value), value) for value in bindings)
        try:
            return self._specialised.setdefault(key, Kernel(self._definition, bindings))
        except TypeError:
            # What has no hash is no type and no number: the compiler says so.
            return Kernel(self._definition, bindings)

    def _made(self, as_worker: builtins.bool = False) -> _native.Compiled:
        """The compiled kernel, or the first worker of a grid."""
        needed, given = len(self._definition.templates), len(self._bindings)
        if needed != given:
            names = ", ".join(t.name for t in self._definition.templates)
            raise TypeError(f"kernel '{self.__name__}' has unbound templates: {names}; write {self.__name__}[...]")
        return _native.Compiled(self._definition, list(self._bindings), as_worker)

    def _ready(self) -> _native.Compiled:
        """The compiled kernel, made on first use."""
        if self._compiled is None:
            self._compiled = self._made()
        return self._compiled

    def compile(self) -> str:
        """Compiles the kernel, and gives its text in the compiler's first form."""
        return self._ready().ir

    def __call__(self, *args: Any, **named: Any) -> Any:
        """Runs the kernel: the software reference changes the arrays of the caller in place and gives the result."""
        compiled = self._compiled
        if compiled is None:
            compiled = self._ready()
        return compiled.run(args, named or None)

    def reset(self) -> None:
        """Sets `Stateful` variables, which keep their value from one call to the next, to what they are at first."""
        self._ready().reset()

    def schedule(self) -> Any:
        """A new schedule of the kernel; of a grid, what is composed with the schedule of the kernel that calls it."""
        from ..schedule import Schedule

        axes = len(self._definition.mapping)
        if axes == 0:
            return Schedule(self._ready())
        return Schedule(self._made(as_worker=True), axes)

    def __str__(self) -> str:
        return self.compile()

    def __repr__(self) -> str:
        values = f"[{', '.join(map(repr, self._bindings))}]" if self._bindings else ""
        return f"<kernel {self.__name__}{values}>"


def _locals(frame: FrameType) -> dict[str, Any]:
    """What the scope around a definition holds, unless it is the module."""
    return {} if frame.f_locals is frame.f_globals else dict(frame.f_locals)


def kernel(*args: Any, options: KernelOptions | None = None, mapping: Any = ()) -> Any:
    """Makes a kernel of a function: `@kernel`, or `@kernel(T, N, options=KernelOptions(...), mapping=[P, Q])`."""
    scope = _locals(sys._getframe(1))
    if not isinstance(mapping, (list, tuple, type(None))):
        raise TypeError(f"mapping= takes a list of the extents of a grid, not {mapping!r}")
    extents = tuple(mapping or ())

    def decorate(fn: Callable[..., Any]) -> Kernel:
        if not inspect.isfunction(fn):
            raise TypeError("@kernel stands above a function")
        return Kernel(Definition(fn, templates, options, extents, scope))

    if len(args) == 1 and inspect.isfunction(args[0]):
        templates: tuple[Template, ...] = ()
        return decorate(args[0])
    templates = args
    for template in templates:
        if not isinstance(template, Template):
            raise TypeError(f"@kernel takes templates, not {template!r}")
    return decorate


def operator_ip(**named: Any) -> Any:
    """Says that hardware of the user's computes the function, a kernel of scalars: `@operator_ip(latency=3, module="mac")`, with
    `ii=`, `style=`, `source=` and `optype=`, as the language's description has them."""
    scope = _locals(sys._getframe(1))

    def decorate(fn: Callable[..., Any]) -> Kernel:
        if not inspect.isfunction(fn):
            raise TypeError("@operator_ip stands above a function")
        return Kernel(Definition(fn, (), None, (), scope, named))

    return decorate


class ConstevalFunction:
    """A function that kernels call while they are compiled. In Python it is the function."""

    def __init__(self, fn: Callable[..., Any]) -> None:
        self.fn = fn
        self.__name__ = fn.__name__
        self.__qualname__ = fn.__qualname__
        self.__module__ = fn.__module__
        self.__doc__ = fn.__doc__

    @property
    def _allo_(self) -> tuple[Any, ...]:
        return ("function", self.fn, self.__name__)

    def __call__(self, *args: Any, **named: Any) -> Any:
        return self.fn(*args, **named)


def consteval(fn: Callable[..., Any] | None = None, *, lazy: builtins.bool = False) -> Any:
    """Makes a function callable for kernels while they are compiled; a lazy one is a kernel, whose calls with constants are their
    results."""
    if fn is None:
        return kernel if lazy else ConstevalFunction
    return ConstevalFunction(fn)


# Kernels in kernels are decorated, too.
kernel._allo_ = ("name", "allo.kernel")  # type: ignore[attr-defined]
consteval._allo_ = ("name", "allo.consteval")  # type: ignore[attr-defined]
operator_ip._allo_ = ("name", "allo.operator_ip")  # type: ignore[attr-defined]
