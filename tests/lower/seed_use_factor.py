import allo
from allo import *
from allo import KernelOptions, consteval, kernel, constexpr, Template

from allo import consteval


@consteval
def factor():
    return 3


@kernel
def use_factor(x: i32) -> i32:
    return x + factor()
