"""Needleman and Wunsch's alignment of two sequences by dynamic programming, and the way back."""

from allo import i32, kernel, u8

ALEN = 8
BLEN = 9
MATCH = 1
MISMATCH = -1
GAP = -1

ALIGN = 0
SKIP_B = 1
SKIP_A = 2
DASH = 45
PAD = 95


@kernel
def fill(seq_a: "u8[ALEN]", seq_b: "u8[BLEN]", score: "i32[BLEN + 1, ALEN + 1]", back: "u8[BLEN + 1, ALEN + 1]"):
    for a in range(ALEN + 1):
        score[0, a] = a * GAP
        back[0, a] = SKIP_B
    for b in range(BLEN + 1):
        score[b, 0] = b * GAP
        back[b, 0] = SKIP_A
    for b in range(1, BLEN + 1):
        for a in range(1, ALEN + 1):
            same: i32 = MATCH if seq_a[a - 1] == seq_b[b - 1] else MISMATCH
            diagonal: i32 = score[b - 1, a - 1] + same
            up: i32 = score[b - 1, a] + GAP
            left: i32 = score[b, a - 1] + GAP
            best: i32 = max(diagonal, max(up, left))
            score[b, a] = best
            if best == left:
                back[b, a] = SKIP_B
            elif best == up:
                back[b, a] = SKIP_A
            else:
                back[b, a] = ALIGN


@kernel
def nw(seq_a: "u8[ALEN]", seq_b: "u8[BLEN]", aligned_a: "u8[ALEN + BLEN]", aligned_b: "u8[ALEN + BLEN]") -> i32:
    score: "i32[BLEN + 1, ALEN + 1]"
    back: "u8[BLEN + 1, ALEN + 1]"
    fill(seq_a, seq_b, score, back)

    a: i32 = ALEN
    b: i32 = BLEN
    n: i32 = 0
    while a > 0 or b > 0:
        match back[b, a]:
            case 0:
                aligned_a[n] = seq_a[a - 1]
                aligned_b[n] = seq_b[b - 1]
                a -= 1
                b -= 1
            case 1:
                aligned_a[n] = seq_a[a - 1]
                aligned_b[n] = DASH
                a -= 1
            case _:
                aligned_a[n] = DASH
                aligned_b[n] = seq_b[b - 1]
                b -= 1
        n += 1
    for i in range(n, ALEN + BLEN):
        aligned_a[i] = PAD
        aligned_b[i] = PAD
    return score[BLEN, ALEN]
