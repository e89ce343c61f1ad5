# The long names of types, and a schedule at module level.
import allo
from allo import kernel
from allo.ir.types import ConstExpr, Int, UInt, float32, index, int8, int32, uint8


@kernel
def bubble(a: int32[5]):
    for i in range(5):
        for j in range(4 - i):
            if a[j] > a[j + 1]:
                a[j], a[j + 1] = a[j + 1], a[j]


#: bubble {"a": [5, -1, 4, 0, 3]} -> {"a": [-1, 0, 3, 4, 5]}


@kernel
def histogram(x: "uint8[6]", h: "UInt(16)[4]"):
    for i in range(4):
        h[i] = 0
    for i in range(6):
        h[x[i]] += 1


#: histogram {"x": [0, 3, 3, 1, 3, 0], "h": [9, 9, 9, 9]} -> {"h": [2, 1, 0, 3]}


@kernel
def widths(x: Int(5), y: UInt(3)) -> float32:
    two: ConstExpr[int32] = 2
    z: int8 = x * two
    return z + y


#: widths {"x": -16, "y": 7} -> {"return": -25.0}

s = allo.customize(bubble)
s.pipeline("j")
s.partition(bubble.a, dim=1)
print(s.build(target="vhls"))
