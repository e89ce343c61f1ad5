"""A matrix product in blocks."""

from allo import Template, kernel

T = Template("T")
N = Template("N")
BLOCK = Template("BLOCK")


@kernel(T, N, BLOCK)
def gemm_blocked(m1: "T[N, N]", m2: "T[N, N]", prod: "T[N, N]"):
    for jj in range(0, N, BLOCK):
        for kk in range(0, N, BLOCK):
            for i in range(N):
                for k in range(BLOCK):
                    left: T = m1[i, kk + k]
                    for j in range(BLOCK):
                        prod[i, jj + j] += left * m2[kk + k, jj + j]
