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
from .._objects import KernelOptions, Name, Template, member

__all__ = ["Kernel", "KernelOptions", "Module", "consteval", "kernel", "operator_ip"]

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

    def lines(self) -> list[str]:
        """The lines of the file; of `python -c`, those of its argument."""
        code = self.fn.__code__
        lines = linecache.getlines(code.co_filename, self.fn.__globals__)
        if not lines and code.co_filename == "<string>" and sys.argv[:1] == ["-c"]:
            # What follows the text are the arguments that the program has.
            text = sys.orig_argv[len(sys.orig_argv) - len(sys.argv)]
            lines = text.splitlines(keepends=True)
        return lines

    def place(self) -> tuple[str, str, int, str]:
        """Name and whole text of the file, the function's first line, its name."""
        code = self.fn.__code__
        lines = self.lines()
        if not lines:
            raise OSError(
                f"the text of kernel '{code.co_name}' cannot be found: a kernel is written in a file, a notebook or "
                "an interactive session that keeps its text"
            )
        return _shown(code.co_filename), "".join(lines), code.co_firstlineno, code.co_name

    def annotations(self) -> dict[str, Any]:
        """What stands behind the parameters and, as `return`, the arrow: objects, and texts that nobody has evaluated yet."""
        try:
            return dict(self.fn.__annotations__)
        except Exception:
            # From Python 3.14 on they are evaluated only now: their text says what is wrong.
            return {}

    def lookup(self, name: str) -> tuple[Any] | None:
        """What a name means to the function, in a tuple, or None: from inside out, without Python's built-ins.

        A template that was bound to the name after the function was decorated is the one of the decorator that is called so.
        """
        found = self._found(name)
        if found is not None and isinstance(found[0], Template) and found[0] not in self.templates:
            for template in self.templates:
                if template.name == found[0].name:
                    return (template,)
        return found

    def _found(self, name: str) -> tuple[Any] | None:
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

    def __copy__(self) -> Kernel:
        """The kernel itself, as of a function."""
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Kernel:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        raise TypeError(
            f"kernel '{self.__name__}' cannot be pickled; pass what it is called with, and let the other process import "
            "the module that defines the kernel"
        )

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

    @property
    def template(self) -> tuple[Template, ...]:
        """The templates of the decorator."""
        return self._definition.templates

    @property
    def template_bindings(self) -> dict[str, Any]:
        """What they are bound to, by name."""
        return dict(zip((t.name for t in self._definition.templates), self._bindings))

    @property
    def mapping(self) -> list[Any]:
        """The extents of its grid; none of a kernel that is no grid."""
        return list(self._definition.mapping)

    @property
    def file_name(self) -> str:
        """The file that it is written in."""
        return self.fn.__code__.co_filename

    @property
    def begin_line(self) -> int:
        """The line of its first decorator."""
        return self.fn.__code__.co_firstlineno

    def parse_argument_annotations(self) -> list[Any]:
        """The types of the parameters, in order: objects such as `i32` and `f32[4, 8]`."""
        named = self._annotations()
        missing = [name for name in self.signature.parameters if name not in named]
        if missing:
            raise TypeError(f"parameter '{missing[0]}' of '{self.__name__}' has no type annotation")
        return [named[name] for name in self.signature.parameters]

    def parse_return_annotation(self) -> list[Any]:
        """The types of the results."""
        result = self._annotations().get("return")
        if result is None:
            return []
        return list(result) if isinstance(result, tuple) else [result]

    def _annotations(self) -> dict[str, Any]:
        """The annotations, those that are texts evaluated as the compiler does."""
        definition = self._definition
        words = set(definition.fn.__globals__) | set(definition.fn.__code__.co_freevars) | set(definition.scope)
        known = ((word, definition.lookup(word)) for word in words | set(_WITHOUT_IMPORT))
        names = {word: found[0] for word, found in known if found is not None}
        for template, value in zip(definition.templates, self._bindings):
            names.update({word: value for word, known in names.items() if known is template})
        return {
            name: eval(given, names) if isinstance(given, str) else given
            for name, given in definition.annotations().items()
        }

    def __getitem__(self, bindings: Any) -> Kernel:
        if self._bindings:
            raise TypeError(f"kernel '{self.__name__}' is specialised already")
        bindings = tuple(map(_number, bindings if isinstance(bindings, tuple) else (bindings,)))
        needed = len(self._definition.templates)
        if len(bindings) != needed:
            raise TypeError(
                f"kernel '{self.__name__}' has {needed} templates, but {len(bindings)} values are given"
            )
        for value in bindings:
            # Shaped types have one for their elements, as arrays have, and scalars that are no number of Python.
            if isinstance(value, (Name, str)) or value is None or hasattr(value, "dtype"):
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


def _number(value: Any) -> Any:
    """A scalar of numpy as the number of Python that it is equal to; anything else as it is."""
    # Without numpy there is none.
    numpy = sys.modules.get("numpy")
    return value if numpy is None or not isinstance(value, numpy.generic) else value.item()


def _locals(frame: FrameType) -> dict[str, Any]:
    """What the scope around a definition holds, unless it is the module."""
    return {} if frame.f_locals is frame.f_globals else dict(frame.f_locals)


def _check_function(fn: Any, decorator: str) -> None:
    """Refuses what has no definition for a decorator to stand above."""
    if not inspect.isfunction(fn) or fn.__name__ == "<lambda>":
        raise TypeError(f"{decorator} stands above a function that `def` defines")


def kernel(*args: Any, options: KernelOptions | None = None, mapping: Any = ()) -> Any:
    """Makes a kernel of a function: `@kernel`, or `@kernel(T, N, options=KernelOptions(...), mapping=[P, Q])`."""
    scope = _locals(sys._getframe(1))
    if isinstance(mapping, (int, Template)):
        mapping = (mapping,)
    if not isinstance(mapping, (list, tuple, type(None))):
        raise TypeError(f"mapping= takes a list of the extents of a grid, not {mapping!r}")
    extents = tuple(mapping or ())

    def decorate(fn: Callable[..., Any]) -> Kernel:
        _check_function(fn, "@kernel")
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
        _check_function(fn, "@operator_ip")
        return Kernel(Definition(fn, (), None, (), scope, named))

    return decorate


class Module:
    """A base class of what users make of a kernel and its schedule, to be called like the kernel.

    `schedule` is a schedule, or a function that makes one. Kernels call its `kernel`.
    """

    def __init__(self, name: str, kernel: Kernel, schedule: Any = None) -> None:
        self.name = name
        self.kernel = kernel
        self._schedule = schedule

    @property
    def module(self) -> Kernel:
        """The kernel."""
        return self.kernel

    @property
    def schedule(self) -> Any:
        """The schedule."""
        if self._schedule is None:
            self._schedule = self.kernel.schedule()
        elif inspect.isfunction(self._schedule) or inspect.ismethod(self._schedule):
            self._schedule = self._schedule()
        return self._schedule

    @property
    def _allo_(self) -> tuple[Any, ...]:
        return self.kernel._allo_

    def __call__(self, *args: Any, **named: Any) -> Any:
        """Calls the kernel."""
        return self.kernel(*args, **named)


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
