"""A sparse matrix with a fixed number of elements in each row times a vector."""

import allo

N = 10
L = 4


@allo.kernel
def spmv_ellpack(nzval: "allo.f32[N, L]", cols: "allo.i32[N, L]", vec: "allo.f32[N]", out: "allo.f32[N]"):
    for i in allo.range(N):
        total: allo.f32 = out[i]
        for j in allo.range(L):
            total += nzval[i, j] * vec[cols[i, j]]
        out[i] = total
