# Vectors that blocks assign: other names of the same vector keep what it was.
from allo import *
from allo.pto import *

CPU = KernelOptions(typing_style="pto")


@kernel(options=CPU)
def kept_before_a_branch(n: i32) -> (i32, i32):
    y: "i32[64]"
    a = vci(0)
    for i in range(3):
        old = a
        if n > tcvt(i, i32):
            a = vadds(a, 10)
        a = vadd(a, old)
    b = a
    if n > 0:
        a = vadds(a, 100)
    vsts(a, y, 0)
    first = y[1]
    vsts(b, y, 0)
    return first, y[1]


# 1 -> 12 -> 34 (22 + 12) -> 78 (44 + 34) where all add, or 8 where none does; 12 -> 24 -> 48 where one does.
#: kept_before_a_branch {"n": 3} -> {"return":[178,78]}
#: kept_before_a_branch {"n": 0} -> {"return":[8,8]}
#: kept_before_a_branch {"n": 1} -> {"return":[148,48]}


@kernel(options=CPU)
def swapped_in_branches(n: i32) -> (i32, i32):
    y: "i32[64]"
    a = vci(0)
    b = vci(100)
    for i in range(4):
        a, b = b, a
        if n == tcvt(i, i32):
            a = vadds(a, 1000)
            b, a = a, b
        else:
            b = vadds(b, 10)
    vsts(a, y, 0)
    first = y[0]
    vsts(b, y, 0)
    return first, y[0]


# (100, 10) -> (10, 110) -> (110, 20) -> (20, 120), or with n = 1 in the second step: (100, 1010) -> (1010, 110) -> (110, 1020).
#: swapped_in_branches {"n": 9} -> {"return":[20,120]}
#: swapped_in_branches {"n": 1} -> {"return":[110,1020]}


# What is read across lanes is the vector as it was, whatever its name becomes.
@kernel(options=CPU)
def read_across(n: i32) -> (i16, i32):
    h: "i16[128]"
    y: "i32[64]"
    a = vci(7)
    t = vci(1)
    for i in range(n):
        half = vbitcast(a, i16)
        a = vadds(a, 1)
        t = vadd(t, vcadd(a))
        if i == 1:
            vsts(half, h, 0)
            a = vbitcast(half, i32)
    vsts(vadd(t, a), y, 0)
    return h[4], y[0]


# Lane 0 of a: 7, then 8, 9 and again 8, 9. Sums of all lanes of a: 2528, 2592 and again 2592.
#: read_across {"n": 3} -> {"return":[10,7722]}


@kernel(options=CPU)
def viewed_before_a_branch(n: i32) -> (i16, i32):
    h: "i16[128]"
    y: "i32[64]"
    a = vadds(vci(0), n)
    half = vbitcast(a, i16)
    if n > 0:
        a = vadds(a, 100)
    vsts(half, h, 0)
    vsts(a, y, 0)
    return h[2], y[1]


#: viewed_before_a_branch {"n": 5} -> {"return":[6,106]}
#: viewed_before_a_branch {"n": 0} -> {"return":[1,1]}


@kernel(options=CPU)
def carried_with_its_view(n: i32) -> (i16, i32):
    h: "i16[128]"
    y: "i32[64]"
    a = vci(0)
    b: vreg[i16] = vdup(0, i16)
    for i in range(n):
        b = vbitcast(a, i16)
        a = vadds(a, 1)
    vsts(b, h, 0)
    vsts(a, y, 0)
    return h[0], y[0]


#: carried_with_its_view {"n": 3} -> {"return":[2,3]}
