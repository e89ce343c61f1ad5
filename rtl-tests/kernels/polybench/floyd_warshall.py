"""All shortest paths of a graph."""

from allo import Template, kernel

T = Template("T")
N = Template("N")


@kernel(T, N)
def floyd_warshall(path: "T[N, N]"):
    for k in range(N):
        for i in range(N):
            for j in range(N):
                through: T = path[i, k] + path[k, j]
                if path[i, j] >= through:
                    path[i, j] = through
