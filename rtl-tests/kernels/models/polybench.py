"""What the kernels of PolyBench compute, from their definitions. Prints the cases as JSON."""

import math

from inputs import case, copied, dot, main, matmul, matvec, transposed, zeros

SINGLE = 1e-5
DOUBLE = 1e-12


@case("2mm", "kernel_2mm", SINGLE)
def two_products(inputs):
    a, b, c, d = inputs.reals(8, 6), inputs.reals(6, 7), inputs.reals(7, 9), inputs.reals(8, 9)
    product = matmul(matmul(a, b), c)
    want = [[1.25 * old + 1.5 * new for old, new in zip(*rows)] for rows in zip(d, product)]
    return {"A": a, "B": b, "C": c, "D": d}, {"D": want}


@case("3mm", "kernel_3mm", SINGLE)
def three_products(inputs):
    a, b, c, d = inputs.reals(5, 6), inputs.reals(6, 7), inputs.reals(7, 8), inputs.reals(8, 4)
    return {"A": a, "B": b, "C": c, "D": d}, {"result": matmul(matmul(a, b), matmul(c, d))}


@case("adi", "adi", SINGLE)
def adi(inputs):
    n, steps = 8, 2
    u = inputs.reals(n, n, low=0.0)
    v = inputs.reals(n, n, low=0.0)
    p, q = inputs.reals(n, n), inputs.reals(n, n)
    args = {"u": copied(u), "v": copied(v), "p": copied(p), "q": copied(q)}
    mul1, mul2 = 2.0 / steps * n * n, 1.0 / steps * n * n
    a, b, d, e = -mul1 / 2, 1 + mul1, -mul2 / 2, 1 + mul2

    def sweep(source, along, side, centre, coupling, coupling_side):
        """One implicit half step: `along(i)` is the line to solve, `source(i, j)` the right side."""
        for i in range(1, n - 1):
            line = [0.0] * n
            p[i][0], q[i][0], line[0] = 0.0, 1.0, 1.0
            for j in range(1, n - 1):
                below = side * p[i][j - 1] + centre
                p[i][j] = -side / below
                right = -coupling * source(i - 1, j) + (1 + 2 * coupling_side) * source(i, j)
                q[i][j] = (right - coupling * source(i + 1, j) - side * q[i][j - 1]) / below
            line[n - 1] = 1.0
            for j in range(n - 2, 0, -1):
                line[j] = p[i][j] * line[j + 1] + q[i][j]
            along(i, line)

    def column(i, line):
        for j in range(n):
            v[j][i] = line[j]

    def row(i, line):
        u[i] = list(line)

    for _ in range(steps):
        sweep(lambda i, j: u[j][i], column, a, b, d, d)
        sweep(lambda i, j: v[i][j], row, d, e, a, a)
    return args, {"u": u, "v": v, "p": p, "q": q}


def atax(inputs):
    a, x = inputs.integers(8, 10), inputs.integers(10)
    return {"A": a, "x": x, "y": inputs.integers(10)}, {"y": matvec(transposed(a), matvec(a, x))}


case("atax", "atax[f32, 8, 10]", SINGLE)(atax)
case("atax", "atax[i32, 8, 10]")(atax)


@case("bicg", "bicg", SINGLE)
def bicg(inputs):
    a, p, r = inputs.reals(12, 10), inputs.reals(10), inputs.reals(12)
    args = {"A": a, "A_copy": a, "p": p, "r": r, "q": zeros(12), "s": zeros(10)}
    return args, {"q": matvec(a, p), "s": matvec(transposed(a), r)}


def lower(a):
    """The Cholesky factor, row by row."""
    n = len(a)
    factor = zeros(n, n)
    for i in range(n):
        for j in range(i + 1):
            rest = a[i][j] - dot(factor[i][:j], factor[j][:j])
            factor[i][j] = math.sqrt(rest) if i == j else rest / factor[j][j]
    return factor


@case("cholesky", "cholesky", SINGLE)
def cholesky(inputs):
    a = inputs.dominant(8)
    factor = lower(a)
    want = [[factor[i][j] if j <= i else a[i][j] for j in range(8)] for i in range(8)]
    return {"A": a}, {"A": want}


@case("correlation", "correlation", SINGLE)
def correlation(inputs):
    n, m = 8, 6
    data = inputs.reals(n, m)
    for row in data:
        row[2] = 0.5  # no deviation, which counts as 1
    columns = transposed(data)
    means = [sum(column) / n for column in columns]
    deviations = [math.sqrt(sum((x - mean) ** 2 for x in column) / n) for column, mean in zip(columns, means)]
    deviations = [1.0 if d <= 0.1 else d for d in deviations]
    scaled = [[(x - means[j]) / (math.sqrt(n) * deviations[j]) for j, x in enumerate(row)] for row in data]
    columns = transposed(scaled)
    corr = [[1.0 if i == j else dot(columns[i], columns[j]) for j in range(m)] for i in range(m)]
    return {"data": data, "corr": zeros(m, m)}, {"data": scaled, "corr": corr}


@case("covariance", "covariance", SINGLE)
def covariance(inputs):
    n, m = 8, 6
    data = inputs.reals(n, m)
    columns = transposed(data)
    means = [sum(column) / n for column in columns]
    centred = [[x - mean for x, mean in zip(row, means)] for row in data]
    columns = transposed(centred)
    cov = [[dot(x, y) / (n - 1) for y in columns] for x in columns]
    args = {"data": data, "mean": zeros(m), "cov": zeros(m, m)}
    return args, {"data": centred, "mean": means, "cov": cov}


@case("deriche", "deriche", SINGLE)
def deriche(inputs):
    w, h, alpha = 8, 6, 0.25
    image = inputs.reals(w, h, low=0.0, high=1.0)
    ea = math.exp(-alpha)
    k = (1 - ea) ** 2 / (1 + 2 * alpha * ea - math.exp(2 * alpha))
    forward = (k, k * ea * (alpha - 1))
    backward = (k * ea * (alpha + 1), -k * ea * ea)
    feedback = (2**-alpha, -ea * ea)

    def recursive(line):
        """A causal and an anticausal recursive filter, summed."""
        ys = []
        for t, x in enumerate(line):
            old = line[t - 1] if t else 0.0
            past = [ys[t - d] if t >= d else 0.0 for d in (1, 2)]
            ys.append(forward[0] * x + forward[1] * old + dot(feedback, past))
        zs = {}
        for t in reversed(range(len(line))):
            ahead = [line[t + d] if t + d < len(line) else 0.0 for d in (1, 2)]
            zs[t] = dot(backward, ahead) + dot(feedback, [zs.get(t + 1, 0.0), zs.get(t + 2, 0.0)])
        return [y + zs[t] for t, y in enumerate(ys)]

    across = [recursive(line) for line in image]
    down = transposed([recursive(line) for line in transposed(across)])
    return {"img": image, "out": zeros(w, h)}, {"out": down}


def doitgen(inputs):
    a, x = inputs.integers(3, 4, 5), inputs.integers(5, 5)
    return {"A": a, "x": x}, {"A": [matmul(plane, x) for plane in a]}


case("doitgen", "doitgen[f32, 3, 4, 5]", SINGLE)(doitgen)
case("doitgen", "doitgen[i16, 3, 4, 5]")(doitgen)


@case("durbin", "durbin", SINGLE)
def durbin(inputs):
    n = 8
    # The autocorrelation of a decaying process, which makes a positive definite system.
    r = [round(64 * 0.6 ** (k + 1)) / 64 for k in range(n)]
    y = [-r[0]]
    alpha, beta = -r[0], 1.0
    for k in range(1, n):
        beta *= 1 - alpha * alpha
        alpha = -(r[k] + dot(r[k - 1 :: -1], y)) / beta
        y = [here + alpha * there for here, there in zip(y, reversed(y))] + [alpha]
    return {"r": r, "y": zeros(n)}, {"y": y}


@case("fdtd_2d", "fdtd_2d", SINGLE)
def fdtd_2d(inputs):
    nx, ny, steps = 6, 8, 3
    ex, ey, hz, fict = inputs.reals(nx, ny), inputs.reals(nx, ny), inputs.reals(nx, ny), inputs.reals(steps)
    args = {"ex": copied(ex), "ey": copied(ey), "hz": copied(hz), "fict": fict}
    for pulse in fict:
        ey[0] = [pulse] * ny
        for i in range(1, nx):
            for j in range(ny):
                ey[i][j] -= 0.5 * (hz[i][j] - hz[i - 1][j])
        for i in range(nx):
            for j in range(1, ny):
                ex[i][j] -= 0.5 * (hz[i][j] - hz[i][j - 1])
        for i in range(nx - 1):
            for j in range(ny - 1):
                hz[i][j] -= 0.7 * (ex[i][j + 1] - ex[i][j] + ey[i + 1][j] - ey[i][j])
    return args, {"ex": ex, "ey": ey, "hz": hz}


def floyd_warshall(inputs):
    n = 8
    path = inputs.integers(n, n, low=1, high=200)
    for i in range(n):
        path[i][i] = 0
    # By Bellman's recursion over the number of edges, which is another algorithm than the kernel's.
    best = copied(path)
    for _ in range(n):
        best = [[min(best[i][k] + path[k][j] for k in range(n)) for j in range(n)] for i in range(n)]
    return {"path": path}, {"path": best}


case("floyd_warshall", "floyd_warshall[i32, 8]")(floyd_warshall)
case("floyd_warshall", "floyd_warshall[u16, 8]")(floyd_warshall)


def gemm(inputs):
    a, b, c = inputs.integers(8, 10), inputs.integers(10, 6), inputs.integers(8, 6)
    want = [[2 * old + 3 * new for old, new in zip(*rows)] for rows in zip(c, matmul(a, b))]
    return {"alpha": 3, "beta": 2, "A": a, "B": b, "C": c}, {"C": want}


case("gemm", "gemm_f32", SINGLE)(gemm)
case("gemm", "gemm_i32")(gemm)


@case("gemver", "gemver", SINGLE)
def gemver(inputs):
    n, alpha, beta = 10, 1.5, 1.25
    a = inputs.reals(n, n)
    u1, v1, u2, v2, w, x, y, z = (inputs.reals(n) for _ in range(8))
    args = {"alpha": alpha, "beta": beta, "A": a, "u1": u1, "v1": v1, "u2": u2, "v2": v2}
    args |= {"w": w, "x": x, "y": y, "z": z}
    a = [[a[i][j] + u1[i] * v1[j] + u2[i] * v2[j] for j in range(n)] for i in range(n)]
    x = [old + beta * new + add for old, new, add in zip(x, matvec(transposed(a), y), z)]
    w = [old + alpha * new for old, new in zip(w, matvec(a, x))]
    return args, {"A": a, "x": x, "w": w}


@case("gesummv", "gesummv", DOUBLE)
def gesummv(inputs):
    a, b, x = inputs.reals(8, 8), inputs.reals(8, 8), inputs.reals(8)
    want = [1.5 * p + 1.2 * q for p, q in zip(matvec(a, x), matvec(b, x))]
    return {"A": a, "B": b, "x": x, "y": inputs.reals(8)}, {"y": want}


@case("gramschmidt", "gramschmidt", SINGLE)
def gramschmidt(inputs):
    m, n = 7, 5
    a = inputs.reals(m, n)
    for i in range(n):
        a[i][i] = 6.0
    columns, q, r = transposed(a), [], zeros(n, n)
    for k in range(n):
        r[k][k] = math.sqrt(dot(columns[k], columns[k]))
        q.append([x / r[k][k] for x in columns[k]])
        for j in range(k + 1, n):
            r[k][j] = dot(q[k], columns[j])
            columns[j] = [x - y * r[k][j] for x, y in zip(columns[j], q[k])]
    args = {"A": a, "Q": zeros(m, n), "R": zeros(n, n)}
    return args, {"A": transposed(columns), "Q": transposed(q), "R": r}


@case("heat_3d", "heat_3d", SINGLE)
def heat_3d(inputs):
    n, steps = 5, 2
    a = inputs.reals(n, n, n)
    b = copied(a)
    args = {"A": copied(a), "B": copied(b)}
    inner = range(1, n - 1)
    for _ in range(steps):
        for old, new in ((a, b), (b, a)):
            for i in inner:
                for j in inner:
                    for k in inner:
                        around = old[i + 1][j][k] + old[i - 1][j][k] + old[i][j + 1][k] + old[i][j - 1][k]
                        around += old[i][j][k + 1] + old[i][j][k - 1]
                        new[i][j][k] = 0.125 * around + 0.25 * old[i][j][k]
    return args, {"A": a, "B": b}


def jacobi_1d(inputs):
    a, b = inputs.reals(10), inputs.reals(10)
    args = {"A": list(a), "B": list(b)}
    for _ in range(3):
        b[1:-1] = [0.33333 * sum(a[i - 1 : i + 2]) for i in range(1, 9)]
        a[1:-1] = [0.33333 * sum(b[i - 1 : i + 2]) for i in range(1, 9)]
    return args, {"A": a, "B": b}


case("jacobi_1d", "jacobi_1d[f32, 10, 3]", SINGLE)(jacobi_1d)
case("jacobi_1d", "jacobi_1d[f64, 10, 3]", DOUBLE)(jacobi_1d)


@case("jacobi_2d", "jacobi_2d", SINGLE)
def jacobi_2d(inputs):
    n, steps = 8, 2
    a, b = inputs.reals(n, n), inputs.reals(n, n)
    args = {"A": copied(a), "B": copied(b)}
    for _ in range(steps):
        for old, new in ((a, b), (b, a)):
            for i in range(1, n - 1):
                for j in range(1, n - 1):
                    new[i][j] = 0.2 * (old[i][j] + old[i][j - 1] + old[i][j + 1] + old[i + 1][j] + old[i - 1][j])
    return args, {"A": a, "B": b}


def lu_factors(a):
    """Crout's order: the factors below and above the diagonal, in one matrix."""
    n = len(a)
    lu = zeros(n, n)
    for s in range(n):
        for j in range(s, n):
            lu[s][j] = a[s][j] - sum(lu[s][k] * lu[k][j] for k in range(s))
        for i in range(s + 1, n):
            lu[i][s] = (a[i][s] - sum(lu[i][k] * lu[k][s] for k in range(s))) / lu[s][s]
    return lu


@case("lu", "lu", SINGLE)
def lu(inputs):
    a = inputs.dominant(8)
    return {"A": a}, {"A": lu_factors(a)}


@case("ludcmp", "ludcmp", SINGLE)
def ludcmp(inputs):
    n = 7
    a, b = inputs.dominant(n), inputs.reals(n)
    factors = lu_factors(a)
    y = []
    for i in range(n):
        y.append(b[i] - dot(factors[i][:i], y))
    x = zeros(n)
    for i in reversed(range(n)):
        x[i] = (y[i] - dot(factors[i][i + 1 :], x[i + 1 :])) / factors[i][i]
    return {"A": a, "b": b, "x": zeros(n), "y": zeros(n)}, {"A": factors, "x": x, "y": y}


@case("mvt", "mvt", SINGLE)
def mvt(inputs):
    n = 10
    a, y1, y2, x1, x2 = inputs.reals(n, n), *(inputs.reals(n) for _ in range(4))
    want1 = [old + new for old, new in zip(x1, matvec(a, y1))]
    want2 = [old + new for old, new in zip(x2, matvec(transposed(a), y2))]
    return {"A": a, "y1": y1, "y2": y2, "x1": x1, "x2": x2}, {"x1": want1, "x2": want2}


@case("nussinov", "nussinov")
def nussinov(inputs):
    n = 12
    seq = inputs.integers(n, low=0, high=3)
    table = zeros(n, n)
    for span in range(1, n):
        for i in range(n - span):
            j = i + span
            options = [table[i][j - 1], table[i + 1][j], table[i + 1][j - 1]]
            if span > 1:
                options[2] += seq[i] + seq[j] == 3
            options += [table[i][k] + table[k + 1][j] for k in range(i + 1, j)]
            table[i][j] = max(options)
    return {"seq": seq, "table": zeros(n, n)}, {"table": table}


@case("seidel_2d", "seidel_2d", SINGLE)
def seidel_2d(inputs):
    n, steps = 7, 2
    a = inputs.reals(n, n)
    args = {"A": copied(a)}
    for _ in range(steps):
        for i in range(1, n - 1):
            for j in range(1, n - 1):
                a[i][j] = sum(sum(row[j - 1 : j + 2]) for row in a[i - 1 : i + 2]) / 9
    return args, {"A": a}


@case("symm", "symm", SINGLE)
def symm(inputs):
    m, n = 7, 8
    a, b, c = inputs.reals(m, m), inputs.reals(m, n), inputs.reals(m, n)
    full = [[a[max(i, j)][min(i, j)] for j in range(m)] for i in range(m)]
    want = [[1.2 * old + 1.5 * new for old, new in zip(*rows)] for rows in zip(c, matmul(full, b))]
    return {"A": a, "B": b, "C": c}, {"C": want}


def triangle(c, alpha, beta, update):
    """The lower triangle renewed, the rest as it was."""
    n = len(c)
    return [[beta * c[i][j] + alpha * update[i][j] if j <= i else c[i][j] for j in range(n)] for i in range(n)]


@case("syr2k", "syr2k", SINGLE)
def syr2k(inputs):
    a, b, c = inputs.reals(8, 6), inputs.reals(8, 6), inputs.reals(8, 8)
    half = matmul(a, transposed(b))
    update = [[half[i][j] + half[j][i] for j in range(8)] for i in range(8)]
    args = {"alpha": 1.5, "beta": 1.25, "A": a, "B": b, "C": c}
    return args, {"C": triangle(c, 1.5, 1.25, update)}


@case("syrk", "syrk", SINGLE)
def syrk(inputs):
    a, c = inputs.reals(8, 6), inputs.reals(8, 8)
    return {"A": a, "C": c}, {"C": triangle(c, 1.5, 1.2, matmul(a, transposed(a)))}


@case("trisolv", "trisolv", SINGLE)
def trisolv(inputs):
    n = 10
    matrix, b = inputs.dominant(n), inputs.reals(n)
    x = []
    for i in range(n):
        x.append((b[i] - dot(matrix[i][:i], x)) / matrix[i][i])
    return {"L": matrix, "x": zeros(n), "b": b}, {"x": x}


@case("trmm", "trmm", SINGLE)
def trmm(inputs):
    m, n = 6, 8
    a, b = inputs.reals(m, m), inputs.reals(m, n)
    unit = [[1.0 if i == j else a[i][j] if j < i else 0.0 for j in range(m)] for i in range(m)]
    want = [[1.5 * x for x in row] for row in matmul(transposed(unit), b)]
    return {"A": a, "B": b}, {"B": want}


if __name__ == "__main__":
    main()
