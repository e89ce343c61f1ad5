"""Fast Fourier transform with decimation in frequency, results in bit-reversed order."""

import math

from allo import consteval, f32, i32, kernel

SIZE = 16
LOG_SIZE = 4

COSINES = [math.cos(2.0 * math.pi * i / SIZE) for i in range(SIZE // 2)]
SINES = [-math.sin(2.0 * math.pi * i / SIZE) for i in range(SIZE // 2)]


@kernel
def fft_strided(real: "f32[SIZE]", img: "f32[SIZE]"):
    real_twid: "f32[SIZE // 2]" = COSINES
    img_twid: "f32[SIZE // 2]" = SINES
    log: i32 = 0
    span: i32 = SIZE >> 1
    while span != 0:
        odd: i32 = span
        while odd < SIZE:
            odd |= span
            even: i32 = odd ^ span
            temp: f32 = real[even] + real[odd]
            real[odd] = real[even] - real[odd]
            real[even] = temp
            temp = img[even] + img[odd]
            img[odd] = img[even] - img[odd]
            img[even] = temp
            root: i32 = (even << log) & (SIZE - 1)
            if root != 0:
                temp = real_twid[root] * real[odd] - img_twid[root] * img[odd]
                img[odd] = real_twid[root] * img[odd] + img_twid[root] * real[odd]
                real[odd] = temp
            odd += 1
        span >>= 1
        log += 1
