"""Floats of which every operand is a constant, in kernels that are called and across loops: no operator is made for them."""
from allo import *
from allo.math import cos, exp, sin, sqrt

F12 = apfloat(5, 6)


@kernel
def top(x: "f32[8]", y: "f32[8]", z: "f64[4]", h: "f16[4]", s: "F12[3]", n: "i32[3]"):
    scale: f32 = 0.7
    scale = exp(scale) / 3.0
    for i in range(8):
        y[i] = x[i] if x[i] > scale else scale
    turned(0, z, h)
    turned(3, z, h)
    small: F12 = -0.3
    s[0] = small * small
    s[1] = small * 1e-3
    s[2] = small ** 3
    n[0] = scale * 1000.0
    n[1] = small * 100
    n[2] = angle_of(-7)


@kernel
def turned(k: i32, z: "f64[4]", h: "f16[4]"):
    angle: f64 = 0.785398163397448309616 * k
    z[k] = cos(angle) - sin(angle)
    part: f16 = k - 1
    h[k] = sqrt(part)
    h[k - 2 if k > 1 else 1] = part * part / 0.0


@kernel
def angle_of(k: i8) -> i32:
    turn: f32 = k
    return turn % 2.5
