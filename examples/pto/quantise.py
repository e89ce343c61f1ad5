"""f32 to f8e4m3 and to i8, rounded in each way: to nearest even, away where there are two, to zero, up, down, to odd."""

from allo import *
from allo.pto import *

WAYS = ("rne", "rna", "rz", "rp", "rm", "ro")
COUNT = len(WAYS)
OPTIONS = KernelOptions(typing_style="pto", profile="a5")


def rounded(row):
    """A kernel that fills a row of both tables, a tile at a time, and one that does so element by element."""
    way = WAYS[row]

    @kernel(options=OPTIONS)
    def tiles(x: "f32[1, 64]", small: "f8e4m3[COUNT, 64]", whole: "i8[COUNT, 64]"):
        numbers: tile(f32, 1, 64)
        floats: tile(f8e4m3, 1, 64)
        integers: tile(i8, 1, 64)
        tload(numbers, x)
        tcvt(floats, numbers, rnd=way)
        tcvt(integers, numbers, rnd=way, sat=True)
        tstore(small, floats, row)
        tstore(whole, integers, row)

    @kernel(options=OPTIONS)
    def scalars(x: "f32[1, 64]", small: "f8e4m3[COUNT, 64]", whole: "i8[COUNT, 64]"):
        for i in range(64):
            small[row, i] = tcvt(x[0, i], f8e4m3, rnd=way)
            whole[row, i] = tcvt(x[0, i], i8, rnd=way, sat=True)

    return tiles, scalars


(by0, one0), (by1, one1), (by2, one2), (by3, one3), (by4, one4), (by5, one5) = [rounded(row) for row in range(COUNT)]


@kernel(options=OPTIONS)
def quantise(x: "f32[1, 64]", small: "f8e4m3[COUNT, 64]", whole: "i8[COUNT, 64]"):
    by0(x, small, whole)
    by1(x, small, whole)
    by2(x, small, whole)
    by3(x, small, whole)
    by4(x, small, whole)
    by5(x, small, whole)


@kernel(options=OPTIONS)
def plain(x: "f32[1, 64]", small: "f8e4m3[COUNT, 64]", whole: "i8[COUNT, 64]"):
    one0(x, small, whole)
    one1(x, small, whole)
    one2(x, small, whole)
    one3(x, small, whole)
    one4(x, small, whole)
    one5(x, small, whole)
