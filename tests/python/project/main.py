"""Kernels of several files, with tables made by numpy."""
import helpers
import numpy as np
from allo import f32, i32, i8, kernel, u8
from helpers import TAPS, Config, relu
from helpers import relu as activation
from layers import dense
from layers.dense import SHIFT, scale
from .layers.dense import WEIGHTS as W

CONFIG = Config(taps=4)
ANGLES = np.arange(16) * (2 * np.pi / 16)
SINE = np.round(np.sin(ANGLES) * 127).astype(np.int8)
MASKS = np.array([1 << i for i in range(8)], dtype=np.uint8)


@kernel
def sine(i: i32) -> i32:
    table: "i8[16]" = SINE
    return table[i]


@kernel
def masked(x: u8, i: i32) -> u8:
    masks: "u8[8]" = MASKS
    return x & masks[i]


@kernel
def filtered(x: "i32[16]", y: "i32[16]"):
    taps: "i32[CONFIG.taps]" = TAPS
    for i in range(16 - CONFIG.taps + 1):
        acc: i32 = 0
        for k in range(CONFIG.taps):
            acc += taps[k] * x[i + k]
        y[i] = relu(acc)


@kernel
def layered(x: i32) -> i32:
    return scale(activation(x)) + dense.SHIFT + helpers.OFFSETS["main"] + CONFIG.total


@kernel
def product(x: "i32[3]", y: "i32[2]"):
    weights: "i32[2, 3]" = W
    for i in range(2):
        acc: i32 = 0
        for j in range(3):
            acc += weights[i, j] * x[j]
        y[i] = acc


@kernel
def halves(i: i32) -> f32:
    table: "f32[4]" = np.linspace(0, 1, 4, dtype=np.float32)
    return table[i] + helpers.half(3)
