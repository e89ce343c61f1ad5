"""Kernels of a given number of lines in many shapes, for benchmarks of the compiler; the top kernel is `f`."""

HEAD = "import allo\nfrom allo import *\n\n\n"


def one_kernel(lines, before="", after="    return s\n"):
    return HEAD + before + '@kernel\ndef f(x: i32, a: "i32[64]") -> i32:\n    s: i32 = 0\n' + lines + after


def repeated(text):
    """A generator of one kernel that repeats the lines, `@` being the number of the repetition."""
    count = text.count("\n")
    return lambda n: one_kernel("".join(text.replace("@", str(i)) for i in range(n // count)))


def many_kernels(n):
    body = '    s: i32 = 0\n    for i in range(64):\n        if a[i] > x:\n            s += a[i]\n    return s\n\n\n'
    return HEAD + "".join(f'@kernel\ndef f{i}(x: i32, a: "i32[64]") -> i32:\n{body}' for i in range(n // 9))


def call_chain(n):
    body = "    s: i32 = f{0}(x, a)\n    s += a[{1}]\n    return s * x\n\n\n"
    kernels = (f'@kernel\ndef f{i + 1}(x: i32, a: "i32[64]") -> i32:\n{body.format(i, i % 64)}' for i in range(min(n // 7, 200)))
    fill = '@kernel\ndef f0(x: i32, a: "i32[64]") -> i32:\n    return x\n\n\n'
    return HEAD + fill + "".join(kernels) + "".join(f"N{i} = {i}\n" for i in range(n - 7 * min(n // 7, 200)))


def calls(n):
    helper = '@kernel\ndef g(x: i32, a: "i32[64]") -> i32:\n    return x + a[0]\n\n\n'
    return one_kernel("    s += g(x, a)\n" * n, helper)


def constants(n):
    return one_kernel("    s += N1 + x\n", "".join(f"N{i} = {i} * 3 % 7\n" for i in range(n)))


def table(n):
    rows = "".join(f"    {i % 100},\n" for i in range(n))
    return one_kernel("    s += T[3]\n", f"T = [\n{rows}]\n\n\n")


def undefined(n):
    return one_kernel("".join(f"    s += naem{i}\n" for i in range(n)), "name = 1\n\n\n")


SHAPES = {
    "kernels": many_kernels,
    "kernel chain": call_chain,
    "statements": repeated("    s += x * a[3]\n    s = s ^ (x << 2)\n"),
    "variables": repeated("    v@: i32 = x + s\n    s += v@\n"),
    "loops": repeated("    for i in range(64):\n        s += a[i]\n"),
    "branches": repeated("    if x > @:\n        s += 1\n    elif x < 3:\n        s -= x\n    else:\n        s = 2\n"),
    "arrays": repeated('    b@: "i32[64]" = 0\n    for i, j in allo.grid(8, 8):\n        b@[i + j] = a[i]\n    s += b@[1]\n'),
    "carried": lambda n: one_kernel(
        "".join(f"    v{i}: i32 = x\n" for i in range(n // 2))
        + "    while s < x:\n        s += 1\n"
        + "".join(f"        v{i} += s\n" for i in range(n // 2))
    ),
    "calls": calls,
    "constants": constants,
    "table": table,
    "errors": undefined,
}


def in_loop(text):
    """As `repeated`, in the body of a loop."""
    count = text.count("\n")

    def kernel(n):
        lines = "".join(text.replace("@", str(i)) for i in range(n // count))
        return one_kernel("    for i in range(64):\n" + lines)

    return kernel


def lfsr(n):
    """Steps of a shift register that the source unrolls; its state is a subscript."""
    step = "    s = (s << 1) | (((s >> 31) ^ (s >> 21) ^ (s >> 1) ^ s) & 1)\n"
    head = HEAD + '@kernel\ndef f(x: u32, a: "i32[64]") -> i32:\n    s: u32 = x\n'
    return head + step * n + "    a[s & 63] = 1\n    return a[(s >> 6) & 63]\n"


def nested(n):
    """Branches in branches, 20 deep, one such tower after the other."""
    depth = 20
    tower = "".join(f"{'    ' * (k + 1)}if x > {k}:\n{'    ' * (k + 2)}s = s + {k}\n" for k in range(depth))
    return one_kernel(tower * (n // (2 * depth)))


def expression(n):
    """Sums of 100 terms over several lines each."""
    line = "    s = (s + x * 3\n" + "         + (a[@ % 64] ^ x)\n" * 98 + "         - x)\n"
    return one_kernel("".join(line.replace("@", str(i)) for i in range(n // 100)))


def dead(n):
    return one_kernel("    v0: i32 = x\n" + "".join(f"    v{i + 1}: i32 = v{i} + {i}\n" for i in range(n)))


# What the whole compiler is timed with.
HARDWARE = {
    "statements": SHAPES["statements"],
    "variables": SHAPES["variables"],
    "loops": SHAPES["loops"],
    "branches": SHAPES["branches"],
    "nested": nested,
    "expressions": expression,
    "dead": dead,
    "lfsr": lfsr,
    "independent": repeated("    a[@ % 64] = x * @ + s\n"),
    "data addresses": repeated("    a[a[@ % 64] & 63] = x + @\n"),
    "one array": in_loop("        a[(i + @) & 63] = a[i] + @\n"),
    "loop body": in_loop("        s += x * a[i]\n        s = s ^ (x << 2)\n"),
    "floats": lambda n: HEAD
    + '@kernel\ndef f(x: f32, a: "f32[64]") -> f32:\n    s: f32 = 0.0\n'
    + "    s = s * x + a[3]\n" * n
    + "    return s\n",
    "calls": calls,
}
