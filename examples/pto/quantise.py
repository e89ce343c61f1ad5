"""f32 to f8e4m3 and to i8, rounded in each way: to nearest even, away where there are two, to zero, up, down, to odd."""

from allo import *
from allo.pto import *

WAYS = ("rne", "rna", "rz", "rp", "rm", "ro")
COUNT = len(WAYS)
OPTIONS = KernelOptions(typing_style="pto", profile="a5")


def by_tiles(row):
    """A kernel that fills a row of both tables, a tile at a time."""

    @kernel(options=OPTIONS)
    def tiles(x: "f32[1, 64]", small: "f8e4m3[COUNT, 64]", whole: "i8[COUNT, 64]"):
        numbers: tile(f32, 1, 64)
        floats: tile(f8e4m3, 1, 64)
        integers: tile(i8, 1, 64)
        tload(numbers, x)
        tcvt(floats, numbers, rnd=WAYS[row])
        tcvt(integers, numbers, rnd=WAYS[row], sat=True)
        tstore(small, floats, row)
        tstore(whole, integers, row)

    return tiles


def by_elements(row):
    """One that does so element by element."""

    @kernel(options=OPTIONS)
    def elements(x: "f32[1, 64]", small: "f8e4m3[COUNT, 64]", whole: "i8[COUNT, 64]"):
        for i in range(64):
            small[row, i] = tcvt(x[0, i], f8e4m3, rnd=WAYS[row])
            whole[row, i] = tcvt(x[0, i], i8, rnd=WAYS[row], sat=True)

    return elements


def all_rows(fill):
    """A kernel that fills all rows."""
    row0, row1, row2, row3, row4, row5 = [fill(row) for row in range(COUNT)]

    @kernel(options=OPTIONS)
    def rows(x: "f32[1, 64]", small: "f8e4m3[COUNT, 64]", whole: "i8[COUNT, 64]"):
        row0(x, small, whole)
        row1(x, small, whole)
        row2(x, small, whole)
        row3(x, small, whole)
        row4(x, small, whole)
        row5(x, small, whole)

    return rows


quantise = all_rows(by_tiles)
plain = all_rows(by_elements)
