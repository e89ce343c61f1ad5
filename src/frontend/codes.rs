//! The table of diagnostic codes of the frontend, each with its one-line explanation.

use crate::diagnostics::codes;

codes! {
    SYNTAX = "E0001": "The text is not Python: the parser refused it at the place shown.";
    NESTING = "E0002": "The nesting of brackets, operators or blocks is deeper than the compiler accepts.";
    TEXT = "E0003": "The file is not usable text: it holds NUL bytes or is larger than 64 MiB.";
    TOP = "E0004": "The kernel to compile is not named, does not exist, or is not a kernel.";
    UNDEFINED = "E0101": "The name is not defined where it is used.";
    POISONED = "E0102": "The name is bound by a statement that cannot be executed at compile time.";
    CAPTURE = "E0103": "A nested kernel may capture compile-time values only; pass runtime values as arguments.";
    ATTRIBUTE = "E0104": "The object has no such attribute in the kernel language.";
    CONST_EVAL = "E0105": "An expression of compile-time values cannot be evaluated.";
    LIMIT = "E0106": "A compile-time computation exceeds its bound of time, size or recursion.";
    NOT_CONST = "E0107": "This place needs a compile-time value, but the value is known only at run time.";
    IMPORT = "E0108": "A file beside the input cannot be imported: it is missing, unreadable, or imports itself in a cycle.";
    PYTHON = "E0109": "The CPython named by --python cannot be started, does not answer, or gives a value that kernels cannot use.";
    ANNOTATION_MISSING = "E0201": "Every kernel parameter needs a type annotation.";
    ANNOTATION = "E0202": "The annotation is not a type of the kernel language.";
    SHAPE = "E0203": "The extents of a shape are positive compile-time integers, fewer than 2^32 elements in all.";
    PARAMETER = "E0204": "Kernel parameters are plain: no defaults, no `*`, no duplicates.";
    DECORATOR = "E0205": "The decorator or its options are not those of a kernel.";
    TEMPLATE = "E0206": "A template must be bound by `kernel[...]`, one value for each template.";
    RETURN_MISSING = "E0207": "Every path through a kernel with results must return.";
    RETURN_PLACE = "E0208": "A return may stand at the top level of the body or in a first-level if branch.";
    RETURN_TYPE = "E0209": "What is returned does not match the return annotation.";
    UNREACHABLE = "E0210": "Statements after a return never run.";
    RECURSION = "E0211": "Hardware has no call stack: kernels cannot call themselves, directly or through others.";
    NESTED_PLACE = "E0212": "A nested kernel must be declared at the top level of the enclosing kernel's body.";
    INSTANCES = "E0213": "More than 256 kernel instances are reachable from the top kernel.";
    NO_RULE = "E0301": "The typing style has no promotion rule for the operator with these operand types.";
    LITERAL_RANGE = "E0302": "The constant is outside the range of the type that it is converted to.";
    WIDTH = "E0303": "The result type is wider than 4096 bits.";
    SHAPE_MISMATCH = "E0304": "The shapes of source and destination differ.";
    NOT_SCALAR = "E0305": "A scalar is needed here, but the value is something else.";
    NOT_INTEGER = "E0306": "An integer is needed here: floats are not converted to indices or bounds.";
    STATEMENT = "E0401": "The statement is not part of the kernel language.";
    EXPRESSION = "E0402": "The expression is not part of the kernel language.";
    REDECLARED = "E0403": "A name may be declared once in a scope and not again in scopes nested in it.";
    CONSTEXPR = "E0404": "A constexpr is initialised where it is declared and never assigned again.";
    UNINITIALISED = "E0405": "A scalar variable needs an initialiser.";
    TARGET = "E0406": "The target of the assignment cannot be assigned.";
    UNPACK = "E0407": "The number of targets and of values differ.";
    LOOP = "E0408": "A for loop runs over `range` or `allo.grid` with plain names as targets.";
    GRID_CARRIED = "E0409": "The iterations of a grid are independent: they cannot assign an outer scalar.";
    ENDLESS = "E0410": "The condition of the while loop is always true, so it never ends.";
    NO_EFFECT = "E0412": "An expression statement other than a call does nothing.";
    NOT_CALLABLE = "E0501": "Only kernels, operators and compile-time functions can be called in a kernel.";
    ARGUMENTS = "E0502": "The number or the names of the arguments do not match the parameters.";
    ARGUMENT_TYPE = "E0503": "The argument does not have the type of the parameter.";
    ALIASED = "E0504": "One buffer may stand for two parameters only if the callee writes neither.";
    INDEX_COUNT = "E0601": "The number of indices must match the rank.";
    INDEX_RANGE = "E0602": "The constant index is out of range.";
    NOT_INDEXABLE = "E0603": "Only shaped values and integer scalars can be indexed.";
    SLICE = "E0604": "Slices are accepted only as bit ranges of constant width on integers.";
    ASSERTION = "E0701": "A static_assert failed.";
    RAISED = "E0702": "The Python code of the file raised an exception while compiling.";
}
