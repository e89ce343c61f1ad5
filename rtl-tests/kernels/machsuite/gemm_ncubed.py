"""A matrix product by three nested loops over flat arrays."""

from allo import Template, kernel

T = Template("T")
N = Template("N")


@kernel(T, N)
def gemm_ncubed(m1: "T[N * N]", m2: "T[N * N]", prod: "T[N * N]"):
    for i in range(N):
        for j in range(N):
            total: T = 0
            for k in range(N):
                total += m1[i * N + k] * m2[k * N + j]
            prod[i * N + j] = total
