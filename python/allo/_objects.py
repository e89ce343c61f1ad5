"""The things of kernels as objects of Python: types, templates, streams, operators, functions of the language.

Each says what it is by `_allo_`, a tuple that the compiler reads when a kernel uses the object: ("type", name),
("shaped", type, extents), ("stream", type, depth), ("stateful", type), ("applied", head, arguments, named arguments or None), ("template",), ("kernel", definition, bindings), ("function",
function, name), or ("name", dotted name). Nothing is computed with them in Python.
"""

from __future__ import annotations

import builtins
import itertools
from typing import Any

from . import _native


def _extents(shape: Any) -> tuple[Any, ...]:
    return shape if isinstance(shape, tuple) else (shape,)


class TypeBase:
    """A type of the language. Types with the same text are equal."""

    __slots__ = ("_text",)

    #: Subscripts make types of arrays: there is no end of them to go through.
    __iter__ = None

    def __init__(self, text: str) -> None:
        self._text = text

    @property
    def name(self) -> str:
        """What it is called."""
        return self._text

    def __eq__(self, other: object) -> builtins.bool:
        return isinstance(other, TypeBase) and self._text == other._text

    def __hash__(self) -> int:
        return hash(self._text)

    def __repr__(self) -> str:
        return self._text


class DType(TypeBase):
    """A scalar type, such as `i32`. `i32[4, 8]` is an array of it, `i32[()]` one of rank 0."""

    __slots__ = ()

    @property
    def _allo_(self) -> tuple[Any, ...]:
        return ("type", self._text)

    @property
    def name(self) -> str:
        """What numpy calls it, where it has the type: `int32`, `float16`; integers of any width likewise, as `int7`."""
        kinds = {"i": "int", "u": "uint", "f": "float", "bf": "bfloat"}
        head = self._text.rstrip("0123456789")
        return kinds[head] + self._text[len(head) :] if head in kinds else self._text

    @property
    def primitive_width(self) -> int:
        """Width in bits."""
        known = _native.scalar(self._text)
        return known[0] if known else 0

    def _is_integer(self, sign: str) -> builtins.bool:
        return self._text[:1] == sign and self._text[1:].isdigit()

    def is_int(self) -> builtins.bool:
        """Whether it is a signed integer."""
        return self._is_integer("i")

    def is_uint(self) -> builtins.bool:
        """Whether it is an unsigned integer."""
        return self._is_integer("u")

    def is_intn(self, width: int) -> builtins.bool:
        """Whether it is an integer of that width."""
        return (self.is_int() or self.is_uint()) and self.primitive_width == width

    def is_index(self) -> builtins.bool:
        """Whether it is the type of loop variables."""
        return self._text == "index"

    def is_float(self) -> builtins.bool:
        """Whether it is a float of any format."""
        return not (self.is_int() or self.is_uint() or self.is_index())

    def __getitem__(self, shape: Any) -> ShapedType:
        return ShapedType(self, _extents(shape))


class ShapedType(TypeBase):
    """A type of arrays, such as `i32[4, 8]`. Its extents may be templates."""

    __slots__ = ("dtype", "shape")

    def __init__(self, dtype: Any, shape: tuple[Any, ...]) -> None:
        super().__init__(f"{dtype!r}[{', '.join(map(str, shape))}]")
        self.dtype = dtype
        self.shape = shape

    @property
    def _allo_(self) -> tuple[Any, ...]:
        return ("shaped", self.dtype, self.shape)

    @property
    def rank(self) -> int:
        """How many dimensions it has."""
        return len(self.shape)


class StreamType(TypeBase):
    """A type of streams, such as `Stream[i32, 4]`. `Stream[i32, 4][2, 3]` is an array of them."""

    __slots__ = ("base_type", "depth")

    def __init__(self, base_type: Any, depth: Any = 2) -> None:
        super().__init__(f"Stream[{base_type!r}, {depth}]")
        self.base_type = base_type
        self.depth = depth

    @property
    def _allo_(self) -> tuple[Any, ...]:
        return ("stream", self.base_type, self.depth)

    def __getitem__(self, shape: Any) -> ShapedType:
        return ShapedType(self, _extents(shape))


class Template:
    """A compile-time parameter of a kernel: a type or a number, bound by `kernel[...]`."""

    def __init__(self, name: str) -> None:
        if not isinstance(name, str):
            raise TypeError(f"a template's name is a string, not {type(name).__name__}")
        self.name = name
        self._allo_ = ("template",)

    _allo_: tuple[Any, ...] = ("name", "allo.Template")

    def __getitem__(self, shape: Any) -> ShapedType:
        return ShapedType(self, _extents(shape))

    def __repr__(self) -> str:
        return self.name


class Name:
    """A name of the language that means something in kernels only, such as an operator."""

    def __init__(self, name: str) -> None:
        self._allo_ = ("name", name)
        self.__name__ = name.rpartition(".")[2]
        self.__qualname__ = self.__name__

    def __call__(self, *args: Any, **named: Any) -> Any:
        raise TypeError(f"'{self.__name__}' belongs to the kernel language: Python cannot call it")

    def __repr__(self) -> str:
        return f"<{self._allo_[1]}>"


class StreamHead(Name):
    """`Stream`: `Stream[i32]`, or `Stream[i32, depth]`."""

    def __getitem__(self, what: Any) -> StreamType:
        return StreamType(*what) if isinstance(what, tuple) else StreamType(what)


class StatefulType(TypeBase):
    """A type of variables that keep their value from one call to the next, such as `Stateful[i32]`."""

    __slots__ = ("inner",)

    def __init__(self, inner: Any) -> None:
        super().__init__(f"Stateful[{inner!r}]")
        self.inner = inner

    @property
    def _allo_(self) -> tuple[Any, ...]:
        return ("stateful", self.inner)


class StatefulHead(Name):
    """`Stateful`: `Stateful[i32]`, `Stateful[f32[4]]`."""

    def __getitem__(self, what: Any) -> StatefulType:
        return StatefulType(what)


class AppliedType(TypeBase):
    """A type of `allo.pto` with what its head takes, such as `vreg[f32]` or `tile(f32, 16, 16, loc="mat")`."""

    __slots__ = ("_allo_",)

    def __init__(self, head: Name, args: tuple[Any, ...], named: dict[str, Any] | None = None) -> None:
        words = [*map(repr, args), *(f"{name}={value!r}" for name, value in (named or {}).items())]
        opening, closing = "[]" if named is None else "()"
        super().__init__(f"{head.__name__}{opening}{', '.join(words)}{closing}")
        self._allo_ = ("applied", head, args, named)


class TypeHead(Name):
    """`vreg` and `mask`."""

    def __getitem__(self, what: Any) -> AppliedType:
        return AppliedType(self, _extents(what))


class TileHead(TypeHead):
    """`tile`, which takes parentheses as well."""

    def __call__(self, *args: Any, **named: Any) -> AppliedType:
        return AppliedType(self, args, named)


class Constexpr(Name):
    """`constexpr`, also with a type, which says no more."""

    def __getitem__(self, what: Any) -> Constexpr:
        return self


class Range(Name):
    """`range` with a name for the loop. In Python it is the built-in one."""

    def __call__(self, *bounds: Any, name: str | None = None) -> Any:
        return builtins.range(*bounds)


class Grid(Name):
    """`grid`: a nest of independent loops. In Python it gives the tuples of its indices."""

    def __call__(self, *extents: Any, name: str | None = None) -> Any:
        ranges = [e if isinstance(e, builtins.range) else builtins.range(e) for e in extents]
        return ranges[0] if len(ranges) == 1 else itertools.product(*ranges)


class StaticAssert(Name):
    """`static_assert(condition, message)`, in Python an assertion."""

    def __call__(self, condition: Any, message: str = "") -> None:
        if not condition:
            raise AssertionError(message or "static assertion failed")


def apint(width: int, signed: builtins.bool = False) -> DType:
    """The integer type of any width from 1 to 4096."""
    return _scalar(f"{'i' if signed else 'u'}{int(width)}")


def apfloat(exponent: int, fraction: int) -> DType:
    """The float type of so many exponent bits (2 to 15) and fraction bits (1 to 112)."""
    return _scalar(f"apfloat({int(exponent)}, {int(fraction)})")


apint._allo_ = ("name", "allo.apint")  # type: ignore[attr-defined]
apfloat._allo_ = ("name", "allo.apfloat")  # type: ignore[attr-defined]


def _scalar(name: str) -> DType:
    known = _native.scalar(name)
    if known is None:
        raise ValueError(f"there is no type {name}")
    # Some formats have names of their own.
    return DType(known[-1])


class KernelOptions:
    """How a kernel is typed and lowered; see the language's description."""

    _allo_: tuple[Any, ...] = ("name", "allo.KernelOptions")

    def __init__(
        self,
        enable_tensor: builtins.bool | None = None,
        typing_style: str = "hls",
        fast_math: builtins.bool | None = None,
        subnormals: str | None = None,
        profile: str | None = None,
        lanes: int | None = None,
    ) -> None:
        # Which options there may be, and with which style, is for the compiler to say: it sees what is given alone.
        given = {
            "enable_tensor": enable_tensor,
            "typing_style": typing_style,
            "fast_math": fast_math,
            "subnormals": subnormals,
            "profile": profile,
            "lanes": lanes,
        }
        self._given = {name: value for name, value in given.items() if value is not None}
        self.enable_tensor = bool(enable_tensor)
        self.typing_style = typing_style
        self.fast_math = bool(fast_math)
        self.subnormals = subnormals
        self.profile = profile
        self.lanes = lanes
        self._allo_ = ("options",)

    def items(self) -> list[tuple[str, Any]]:
        """The options by their names, without those that are not given."""
        return list(self._given.items())


_SPECIAL = {
    "Stream": StreamHead,
    "constexpr": Constexpr,
    "Stateful": StatefulHead,
    "range": Range,
    "reduction": Range,
    "grid": Grid,
    "static_assert": StaticAssert,
    "vreg": TypeHead,
    "mask": TypeHead,
    "tile": TileHead,
}


def member(space: str, name: str) -> Any:
    """The object of a name in a module of the language."""
    if _native.scalar(name) is not None:
        return DType(name)
    ty = _native.scalar_in(space, name)
    if ty is not None:
        return DType(ty)
    return _SPECIAL.get(name, Name)(f"{space}.{name}")


def from_text(text: str) -> Any:
    """The type of a text such as `i32`."""
    return _scalar(text)
