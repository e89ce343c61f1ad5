# Scores of attention without the softmax: a product, scaled, from which the largest of each row and a bias are taken.
from allo import *
from allo.pto import *

A5 = KernelOptions(typing_style="pto", profile="a5", lanes=4)


@kernel(options=A5)
def top(q: "f16[4, 8]", k: "f16[3, 8]", bias: f32, o: "f32[4, 3]"):
    rows: tile(f16, 16, 16, loc="mat", valid=(4, 8))
    keys: tile(f16, 16, 16, valid=(3, 8))
    across: tile(f16, 16, 16, valid=(8, 3))
    columns: tile(f16, 16, 16, loc="mat", valid=(8, 3))
    left: tile(f16, 16, 16, loc="left", valid=(4, 8))
    right: tile(f16, 16, 16, loc="right", valid=(8, 3))
    s: tile(f32, 16, 16, loc="acc", valid=(4, 3))
    v: tile(f32, 16, 16, valid=(4, 3))
    m: tile(f32, 16, 8, valid=(4, 1))
    w: tile(f32, 16, 16, valid=(4, 3))
    tload(rows, q)
    tload(keys, k)
    ttrans(across, keys)
    tmov(columns, across)
    tmov(left, rows)
    tmov(right, columns)
    tmatmul(s, left, right)
    tmov(v, s)
    tmuls(v, v, 0.25)
    trowmax(m, v)
    trowexpand(w, m)
    tsub(v, v, w)
    tsubs(v, v, bias)
    tstore(o, v)
