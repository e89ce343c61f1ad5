"""Packages that import from themselves."""
from allo import i32, kernel
from knot import value
from shop import SIX, add_one
from shop.core import TWO


@kernel
def nine(x: i32) -> i32:
    return add_one(x) + TWO + SIX


@kernel
def f(x: i32) -> i32:
    return x + value
