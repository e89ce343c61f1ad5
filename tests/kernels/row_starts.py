"""A running sum, and what it was when each row began: read after the row, and in it."""

from allo import i32, kernel


@kernel
def top(x: "i32[5, 6]", begun: "i32[5]", risen: "i32[5, 6]") -> i32:
    total: i32 = 3
    for i in range(5):
        start = total
        for j in range(6):
            total += x[i, j]
            risen[i, j] = total - start
        begun[i] = start
    return total
