"""Radix sort of unsigned numbers, two bits at a time."""

from allo import i32, kernel, u16

SIZE = 24
BITS = 2
RADIX = 4


@kernel
def one_pass(src: "u16[SIZE]", dst: "u16[SIZE]", shift: i32):
    bucket: "i32[RADIX]" = 0
    for i in range(SIZE):
        bucket[(src[i] >> shift) & (RADIX - 1)] += 1
    position: i32 = 0
    for r in range(RADIX):
        count: i32 = bucket[r]
        bucket[r] = position
        position += count
    for i in range(SIZE):
        digit = (src[i] >> shift) & (RADIX - 1)
        dst[bucket[digit]] = src[i]
        bucket[digit] += 1


@kernel
def radixsort(a: "u16[SIZE]"):
    b: "u16[SIZE]"
    for shift in range(0, 16, 2 * BITS):
        one_pass(a, b, shift)
        one_pass(b, a, shift + BITS)
