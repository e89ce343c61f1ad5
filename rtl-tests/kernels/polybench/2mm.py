"""D := alpha * A * B * C + beta * D, in two stages."""

from allo import f32, kernel

P, Q, R, S = 8, 6, 7, 9
alpha = 1.5
beta = 1.25


@kernel
def product(A: "f32[P, Q]", B: "f32[Q, R]", tmp: "f32[P, R]"):
    for i0 in range(P):
        for j0 in range(R):
            tmp[i0, j0] = 0.0
            for k0 in range(Q):
                tmp[i0, j0] += alpha * A[i0, k0] * B[k0, j0]


@kernel
def update(tmp: "f32[P, R]", C: "f32[R, S]", D: "f32[P, S]"):
    for i1 in range(P):
        for j1 in range(S):
            D[i1, j1] *= beta
            for k1 in range(R):
                D[i1, j1] += tmp[i1, k1] * C[k1, j1]


@kernel
def kernel_2mm(A: "f32[P, Q]", B: "f32[Q, R]", C: "f32[R, S]", D: "f32[P, S]"):
    tmp: "f32[P, R]"
    product(A, B, tmp)
    update(tmp, C, D)
