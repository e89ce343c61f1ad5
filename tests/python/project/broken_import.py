from allo import i32, kernel
from broken import value
from nowhere import missing
from helpers import TAPS, absent


@kernel
def f(x: i32) -> i32:
    return x + missing


@kernel
def g(x: i32) -> i32:
    return x + absent
