"""Correlation matrix of M attributes over N observations."""

import allo
from allo import f32, kernel

M = 6
N = 8
float_n = 8.0
epsilon = 0.1


@kernel
def compute_mean(data: "f32[N, M]", mean: "f32[M]"):
    for x in range(M):
        total: f32 = 0.0
        for k in range(N):
            total += data[k, x]
        mean[x] = total / float_n


@kernel
def compute_stddev(data: "f32[N, M]", mean: "f32[M]", stddev: "f32[M]"):
    for x in range(M):
        variance: f32 = 0.0
        for m in range(N):
            variance += (data[m, x] - mean[x]) * (data[m, x] - mean[x])
        deviation: f32 = allo.math.sqrt(variance / float_n)
        # Deviations near zero would give a division by zero.
        if deviation <= epsilon:
            deviation = 1.0
        stddev[x] = deviation


@kernel
def correlation(data: "f32[N, M]", corr: "f32[M, M]"):
    mean: "f32[M]"
    stddev: "f32[M]"
    compute_mean(data, mean)
    compute_stddev(data, mean, stddev)
    root: f32 = float_n
    root = allo.math.sqrt(root)
    for i, j in allo.grid(N, M):
        data[i, j] = (data[i, j] - mean[j]) / (root * stddev[j])
    for i in range(M - 1):
        corr[i, i] = 1.0
        for j in range(i + 1, M):
            corr[i, j] = 0.0
            for k in range(N):
                corr[i, j] += data[k, i] * data[k, j]
            corr[j, i] = corr[i, j]
    corr[M - 1, M - 1] = 1.0
