from dataclasses import dataclass

from allo import consteval, i32, kernel

TAPS = [1, -2, 3, 4]
OFFSETS = {"main": 100, "other": 200}


@dataclass(frozen=True)
class Config:
    taps: int
    bias: int = 7

    @property
    def total(self):
        return self.taps * 10 + self.bias


@consteval
def half(n):
    return n / 2


@kernel
def relu(x: i32) -> i32:
    return x if x > 0 else 0
