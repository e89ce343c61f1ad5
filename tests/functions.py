"""Elementary functions as programs use them: activations, normalisation, attention, rotations, finance, in f16 and f32."""

import allo
import math

from allo import f16, f32, kernel

ROOT_HALF = math.sqrt(0.5)


@kernel
def gelu(x: "f16[16]", out: "f16[16]"):
    for i in range(16):
        out[i] = 0.5 * x[i] * (1.0 + allo.math.erf(x[i] * ROOT_HALF))


@kernel
def gelu_tanh(x: "f32[8]", out: "f32[8]"):
    for i in range(8):
        cubic: f32 = x[i] + 0.044715 * x[i] * x[i] * x[i]
        out[i] = 0.5 * x[i] * (1.0 + allo.math.tanh(0.7978845608 * cubic))


@kernel
def layer_norm(x: "f32[4, 8]", scale: "f32[8]", offset: "f32[8]", out: "f32[4, 8]"):
    for row in range(4):
        total: f32 = 0.0
        for i in range(8):
            total += x[row, i]
        mean: f32 = total * 0.125
        spread: f32 = 0.0
        for i in range(8):
            distance: f32 = x[row, i] - mean
            spread += distance * distance
        factor: f32 = allo.math.rsqrt(spread * 0.125 + 1e-5)
        for i in range(8):
            out[row, i] = (x[row, i] - mean) * factor * scale[i] + offset[i]


@kernel
def black_scholes(spot: "f32[4]", strike: "f32[4]", years: "f32[4]", rate: f32, volatility: f32, call: "f32[4]"):
    for i in range(4):
        root: f32 = allo.math.sqrt(years[i])
        drift: f32 = (rate + 0.5 * volatility * volatility) * years[i]
        d1: f32 = (allo.math.log(spot[i] / strike[i]) + drift) / (volatility * root)
        d2: f32 = d1 - volatility * root
        n1: f32 = 0.5 + 0.5 * allo.math.erf(d1 * ROOT_HALF)
        n2: f32 = 0.5 + 0.5 * allo.math.erf(d2 * ROOT_HALF)
        call[i] = spot[i] * n1 - strike[i] * allo.math.exp(-rate * years[i]) * n2


@kernel
def rotary(x: "f16[4, 8]", base: f16, out: "f16[4, 8]"):
    for position in range(4):
        for pair in range(4):
            place: f16 = position
            part: f16 = pair
            angle: f16 = place * allo.math.pow(base, -0.25 * part)
            c: f16 = allo.math.cos(angle)
            s: f16 = allo.math.sin(angle)
            out[position, 2 * pair] = x[position, 2 * pair] * c - x[position, 2 * pair + 1] * s
            out[position, 2 * pair + 1] = x[position, 2 * pair] * s + x[position, 2 * pair + 1] * c


@kernel
def twiddles(turn: f32, re: "f32[16]", im: "f32[16]"):
    for k in range(16):
        step: f32 = k
        angle: f32 = turn * step
        re[k] = allo.math.cos(angle)
        im[k] = allo.math.sin(angle)


@kernel
def attention(q: "f16[16, 16]", k: "f16[16, 16]", v: "f16[16, 16]", out: "f16[16, 16]"):
    for row in range(16):
        scores: "f16[16]"
        most: f16 = -60000.0
        for column in range(16):
            score: f16 = 0.0
            for i in range(16):
                score += q[row, i] * k[column, i]
            scores[column] = 0.25 * score
            most = max(most, scores[column])
        total: f16 = 0.0
        for column in range(16):
            scores[column] = allo.math.exp(scores[column] - most)
            total += scores[column]
        for i in range(16):
            sum: f16 = 0.0
            for column in range(16):
                sum += scores[column] * v[column, i]
            out[row, i] = sum / total
