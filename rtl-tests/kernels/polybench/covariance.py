"""Covariance matrix of M attributes over N observations."""

import allo
from allo import f32, kernel

M = 6
N = 8


@kernel
def covariance(data: "f32[N, M]", mean: "f32[M]", cov: "f32[M, M]"):
    for x in range(M):
        total: f32 = 0.0
        for k in range(N):
            total += data[k, x]
        mean[x] = total / N

    for i, j in allo.grid(N, M):
        data[i, j] -= mean[j]

    for i in range(M):
        for j in range(i, M):
            covar: f32 = 0.0
            for p in range(N):
                covar += data[p, i] * data[p, j]
            covar = covar / (N - 1)
            cov[i, j] = covar
            cov[j, i] = covar
