"""Functions of formats that are too small for polynomials: by tables of results, and rounded twice."""

from allo import apfloat, kernel, math

f8 = apfloat(4, 3)
f10 = apfloat(6, 3)
f12 = apfloat(4, 7)


@kernel
def top(a: "f8[24]", b: "f8[24]", c: "f10[24]", d: "f12[24]", e: "f12[24]"):
    for i in range(24):
        a[i] = math.pow(math.exp(a[i]), b[i])
        b[i] = math.log(b[i])
        c[i] = math.tanh(c[i])
        d[i] = math.pow(d[i], e[i])
        e[i] = math.sin(e[i])
