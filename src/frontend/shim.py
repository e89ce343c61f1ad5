"""Runs the module level of a kernel file in CPython for allo-hls, on request of its user.

Standard input gives one JSON request a line, standard output one JSON answer a line. The first
request runs the file; later ones call its consteval functions.
"""

import __future__
import ast
import json
import os
import struct
import sys
import types

answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
os.dup2(2, 1)  # What the file prints is not an answer.

MAX_DEPTH = 40
functions = []
templates = []
kernels = []


class Type:
    """A type of the kernel language."""

    def __init__(self, name):
        self.name = name

    def __getitem__(self, shape):
        dims = shape if isinstance(shape, tuple) else (shape,)
        return Type(f"{self.name}[{', '.join(map(str, dims))}]")

    def __eq__(self, other):
        return isinstance(other, Type) and self.name == other.name

    def __hash__(self):
        return hash(self.name)

    def __repr__(self):
        return self.name


class Template:
    def __init__(self, name):
        self.name = name
        self.id = len(templates)
        templates.append(name)


class KernelOptions:
    """What it is given; the compiler knows what there may be."""

    def __init__(self, **named):
        self.named = named


class Kernel:
    """A kernel by the place of its text, with the values of its templates."""

    def __init__(self, module, line, bindings=()):
        self.module, self.line, self.bindings = module, line, bindings

    def __getitem__(self, values):
        values = values if isinstance(values, tuple) else (values,)
        return Kernel(self.module, self.line, values)

    def __call__(self, *args, **named):
        raise TypeError("a kernel is not called at compile time")


class Builtin:
    def __init__(self, name):
        self.name = name

    def __call__(self, *args, **named):
        raise TypeError(f"{self.name} is not available in CPython")


class Applied:
    """A type made of a head of `allo.pto`: `vreg[f32]`, or with names `tile(f32, 16, 16, loc="mat")`."""

    def __init__(self, head, args, named=None):
        self.head, self.args, self.named = head, args, named


class Head(Builtin):
    """What makes types of others."""

    def __getitem__(self, args):
        return Applied(self, args if isinstance(args, tuple) else (args,))


class CalledHead(Head):
    def __call__(self, *args, **named):
        return Applied(self, args, named)


HEADS = {"allo.pto.vreg": Head, "allo.pto.mask": Head, "allo.pto.tile": CalledHead}


def marked(f, templates=(), options=None, mapping=(), foreign=None, helper=False):
    """The kernel of a function, with what its decorator says."""
    line = f.__code__.co_firstlineno
    kernels.append(
        {
            "module": module_name(f.__module__),
            "line": line,
            "templates": [encode(t) for t in templates],
            "options": None if options is None else encoded(options.named),
            "mapping": [encode(extent) for extent in mapping or ()],
            "foreign": None if foreign is None else encoded(foreign),
            "helper": helper,
        }
    )
    return Kernel(f.__module__, line)


def kernel(*args, options=None, mapping=()):
    if len(args) == 1 and isinstance(args[0], types.FunctionType):
        return marked(args[0])
    if not all(isinstance(a, Template) for a in args):
        raise TypeError("@kernel takes templates")
    if not isinstance(options, (KernelOptions, types.NoneType)):
        raise TypeError("options= takes a KernelOptions(...)")
    return lambda f: marked(f, args, options, mapping)


def operator_ip(**named):
    return lambda f: marked(f, foreign=named)


def consteval(f=None, *, lazy=False):
    if f is None:
        return (lambda f: marked(f, helper=True)) if lazy else consteval
    f.allo_consteval = len(functions)
    functions.append(f)
    return f


def static_assert(condition, message=""):
    assert condition, message


def apint(width, signed=False):
    return Type(f"{'i' if signed else 'u'}{width}")


def apfloat(exponent, fraction):
    return Type(f"apfloat({exponent}, {fraction})")


class Allo(types.ModuleType):
    """`allo` and the modules below it."""

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        known = globals().get(name)
        if name in OWN:
            return known
        if name == "APInt":
            return apint
        if name[0] in "iu" and name[1:].isdigit() or name in ("f16", "bf16", "f32", "f64", "index"):
            return Type(name)
        if name == "bool":
            return Type("u1")
        own = NAMES.get(self.__name__, {})
        if own.get(name) is not None:
            return Type(own[name])
        if name in own:
            full = f"{self.__name__}.{name}"
            return HEADS.get(full, Builtin)(full)
        raise AttributeError(f"module '{self.__name__}' has no name '{name}'")


OWN = ("kernel", "consteval", "operator_ip", "Template", "KernelOptions", "static_assert", "apint", "apfloat")
NAMES = {}


def install(names):
    NAMES.update(names)
    for name in names:
        module = Allo(name)
        module.__path__ = []
        module.__all__ = [n for n in names[name] if n != "range"]
        sys.modules[name] = module
        # A file that is called like what it defines is the module in which that is found.
        for own in (*OWN, *names[name]):
            sys.modules.setdefault(f"{name}.{own}", module)
    for name in names:
        parent, _, own = name.rpartition(".")
        if parent:
            setattr(sys.modules[parent], own, sys.modules[name])


def encode(value, depth=0):
    """The value as JSON that says its type."""
    if depth > MAX_DEPTH:
        return ["opaque", "the value is nested too deeply"]
    inner = lambda v: encode(v, depth + 1)
    if value is None:
        return ["none"]
    if isinstance(value, bool):
        return ["bool", value]
    if type(value).__module__ == "numpy" and hasattr(value, "dtype"):
        leaves = [inner(v) for v in value.reshape(-1).tolist()]
        return ["array", value.dtype.name, list(value.shape), leaves]
    if isinstance(value, int):
        return ["int", hex(value)]
    if isinstance(value, float):
        return ["float", struct.pack(">d", value).hex()]
    if isinstance(value, str):
        return ["str", value]
    if isinstance(value, tuple):
        return ["tuple", [inner(v) for v in value]]
    if isinstance(value, list):
        return ["list", [inner(v) for v in value]]
    if isinstance(value, (set, frozenset)):
        return ["set", [inner(v) for v in sorted(value, key=repr)]]
    if isinstance(value, dict):
        return ["dict", [[inner(k), inner(v)] for k, v in value.items()]]
    if isinstance(value, Type):
        return ["type", value.name]
    if isinstance(value, Applied):
        named = None if value.named is None else encoded(value.named, depth + 1)
        return ["applied", inner(value.head), [inner(v) for v in value.args], named]
    if isinstance(value, Template):
        return ["template", value.id]
    if isinstance(value, Kernel):
        bindings = [inner(v) for v in value.bindings]
        return ["kernel", module_name(value.module), value.line, bindings]
    if isinstance(value, Builtin):
        return ["name", value.name]
    if isinstance(value, types.FunctionType):
        if hasattr(value, "allo_consteval"):
            return ["function", value.allo_consteval, value.__name__]
        if value.__module__ == __name__ and value.__name__ in OWN:
            return ["name", f"allo.{value.__name__}"]
        return ["opaque", "it is a Python function that is not decorated with @consteval"]
    if isinstance(value, types.ModuleType):
        return ["module", module_name(value.__name__)]
    if value in (Template, KernelOptions):
        return ["name", f"allo.{value.__name__}"]
    if value in (range, len, int, float, bool, print, abs, min, max, round):
        return ["name", value.__name__]
    if isinstance(value, types.BuiltinFunctionType) or isinstance(value, KernelOptions):
        return ["opaque", "it exists while CPython runs only"]
    names = [n for n in dir(value) if not n.startswith("_")]
    attrs = {}
    for name in names:
        try:
            found = getattr(value, name)
        except Exception:
            continue
        if not callable(found) or isinstance(found, (Kernel, Type)):
            attrs[name] = inner(found)
    label = value.__name__ if isinstance(value, type) else type(value).__name__
    return ["object", label, attrs]


def encoded(named, depth=0):
    return {name: encode(value, depth) for name, value in named.items()}


def decode(value):
    kind, *parts = value
    if kind == "none":
        return None
    if kind == "int":
        return int(parts[0], 16)
    if kind == "float":
        return struct.unpack(">d", bytes.fromhex(parts[0]))[0]
    if kind in ("bool", "str"):
        return parts[0]
    if kind == "tuple":
        return tuple(map(decode, parts[0]))
    if kind == "list":
        return list(map(decode, parts[0]))
    if kind == "dict":
        return {decode(k): decode(v) for k, v in parts[0]}
    if kind == "type":
        return Type(parts[0])
    raise TypeError(f"a value of the kind '{kind}' cannot be passed to CPython")


def module_name(name):
    return "" if name == MAIN else name


MAIN = "kernel_file"


def bound(node):
    """Names that a statement binds."""
    names = set()
    for n in ast.walk(node):
        if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store):
            names.add(n.id)
        elif isinstance(n, (ast.FunctionDef, ast.ClassDef)):
            names.add(n.name)
        elif isinstance(n, (ast.Import, ast.ImportFrom)):
            names.update((a.asname or a.name).split(".")[0] for a in n.names)
    return names


def message_of(error):
    return f"{type(error).__name__}: {error}"


def line_of(error, file):
    """The last line of the file on the way to an error."""
    trace, line = error.__traceback__, None
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == file:
            line = trace.tb_lineno
        trace = trace.tb_next
    return line


def run(request):
    install(request["names"])
    file, text = request["file"], request["text"]
    if request["root"] is not None:
        sys.path.insert(0, request["root"])
    main = types.ModuleType(MAIN)
    main.__file__ = file
    sys.modules[MAIN] = main
    problems = []
    flags = __future__.annotations.compiler_flag
    for node in ast.parse(text, file).body:
        code = compile(ast.Module([node], []), file, "exec", flags=flags, dont_inherit=True)
        try:
            exec(code, main.__dict__)
        except (Exception, SystemExit) as error:
            kind = type(error).__name__
            line = line_of(error, file) or node.lineno
            problems.append([sorted(bound(node)), kind, message_of(error), line])
    modules = {}
    for name in [MAIN, *request["modules"]]:
        module = sys.modules.get(name)
        if module is not None:
            names = {k: v for k, v in vars(module).items() if not k.startswith("__")}
            modules[module_name(name)] = {k: encode(v) for k, v in names.items()}
    return {"modules": modules, "problems": problems, "templates": templates, "kernels": kernels}


def answer(request):
    try:
        if "call" in request:
            args = [decode(v) for v in request["args"]]
            named = {k: decode(v) for k, v in request["named"].items()}
            return {"value": encode(functions[request["call"]](*args, **named))}
        return run(request)
    except (Exception, SystemExit) as error:
        file = request.get("file", "")
        return {"error": message_of(error), "line": line_of(error, file)}


for line in sys.stdin:
    json.dump(answer(json.loads(line)), answers)
    answers.write("\n")
    answers.flush()
