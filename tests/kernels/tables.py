"""Specialisations of a template, each with a table of its own."""

from allo import Template, i32, kernel

K = Template("K")


@kernel(K)
def weigh(x: i32, i: i32) -> i32:
    t: i32[4] = [K, K + 1, 2 * K, 7]
    return x * t[i]


@kernel
def top(x: "i32[4]", c: "i32[4]", d: "i32[4]"):
    for i in range(4):
        k: i32 = i
        c[i] = weigh[3](x[i], k)
        d[i] = weigh[10](x[i], k)
