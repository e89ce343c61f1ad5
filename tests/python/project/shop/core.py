from allo import i32, kernel
from . import parts
from shop.parts import ONE

TWO = 2 * parts.ONE


@kernel
def add_one(x: i32) -> i32:
    return x + ONE
