# Tiles and vectors rounded in every way, with and without saturation.
from allo import *
from allo.pto import *

A5 = KernelOptions(typing_style="pto", profile="a5", lanes=4)


@kernel(options=A5)
def top(x: "f32[64]", g: "f32[2, 16]", f: "f8e4m3[6, 256]", q: "i8[6, 32]"):
    v = vlds(x, 0)
    vsts(vcvt(v, f8e4m3, rnd="rne"), f, 0)
    vsts(vcvt(v, f8e4m3, rnd="rna", part=1), f, 256)
    vsts(vcvt(v, f8e4m3, rnd="rz", sat=True), f, 512)
    vsts(vcvt(v, f8e4m3, rnd="rp", part=3), f, 768)
    vsts(vcvt(v, f8e4m3, rnd="rm", sat=True), f, 1024)
    vsts(vcvt(v, f8e4m3, rnd="ro"), f, 1280)
    t: tile(f32, 2, 32, valid=(1, 16))
    i: tile(i8, 2, 32, valid=(1, 16))
    tload(t, g)
    tcvt(i, t, rnd="rne", sat=True)
    tstore(q, i)
    tcvt(i, t, rnd="rna", sat=True)
    tstore(q, i, 1)
    tcvt(i, t, rnd="rz", sat=True)
    tstore(q, i, 2)
    tcvt(i, t, rnd="rp", sat=True)
    tstore(q, i, 3)
    tcvt(i, t, rnd="rm", sat=True)
    tstore(q, i, 4)
    tcvt(i, t, rnd="ro", sat=True)
    tstore(q, i, 5, 16)
