"""Multiresolution analysis: every row of a cube times a matrix."""

import allo
from allo import Template, kernel

T = Template("T")
R = Template("R")
Q = Template("Q")
P = Template("P")


@kernel(T, R, Q, P)
def doitgen(A: "T[R, Q, P]", x: "T[P, P]"):
    total: "T[P]"
    for r in range(R):
        for q in range(Q):
            for p in range(P):
                total[p] = 0
                for s in range(P):
                    total[p] += A[r, q, s] * x[s, p]
            for p1 in range(P):
                A[r, q, p1] = total[p1]
