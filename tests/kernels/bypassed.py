"""Elements that the data choose, read again in the next iteration, right after, and never."""

from allo import i16, i32, kernel, u2, u4


@kernel
def top(x: "u4[6, 8]", w: "i16[6, 8]", count: "i32[16]", seen: "i16[4, 16]", total: "i32[6]"):
    for i in range(6):
        row: i32 = 0
        for j in range(8):
            count[x[i, j]] = count[x[i, j]] * 3 + w[i, j]
            side: u2 = x[i, j]
            if w[i, j] > 0:
                seen[side, x[i, j]] += 1
            row += seen[side, x[i, j]]
        total[i] = row + count[x[i, 7]]
