"""A sparse matrix in compressed rows times a vector."""

from allo import f64, i32, kernel

N = 10
NNZ = 32


@kernel
def spmv_crs(val: "f64[NNZ]", cols: "i32[NNZ]", row_delimiters: "i32[N + 1]", vec: "f64[N]", out: "f64[N]"):
    for i in range(N):
        total: f64 = 0.0
        for j in range(row_delimiters[i], row_delimiters[i + 1]):
            total += val[j] * vec[cols[j]]
        out[i] = total
