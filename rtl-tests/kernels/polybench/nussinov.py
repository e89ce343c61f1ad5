"""Nussinov's prediction of the folding of RNA; bases are 0 to 3, and two match when they sum to 3."""

from allo import i32, kernel

N = 12


@kernel
def nussinov(seq: "i32[N]", table: "i32[N, N]"):
    for i_inv in range(N):
        i: i32 = N - 1 - i_inv
        for j in range(i + 1, N):
            if j - 1 >= 0:
                table[i, j] = max(table[i, j], table[i, j - 1])
            if i + 1 < N:
                table[i, j] = max(table[i, j], table[i + 1, j])
            if j - 1 >= 0 and i + 1 < N:
                # Do not allow adjacent elements to bond.
                if i < j - 1:
                    pair: i32 = 1 if seq[i] + seq[j] == 3 else 0
                    table[i, j] = max(table[i, j], table[i + 1, j - 1] + pair)
                else:
                    table[i, j] = max(table[i, j], table[i + 1, j - 1])
            for k in range(i + 1, j):
                table[i, j] = max(table[i, j], table[i, k] + table[k + 1, j])
