"""What the kernels of MachSuite compute, from their definitions. Prints the cases as JSON."""

import cmath
import math

from inputs import case, copied, dot, main, matmul, matvec, zeros

SINGLE = 1e-5
DOUBLE = 1e-12


def gf_multiply(a, b):
    """In the field of AES, bit by bit."""
    product = 0
    while b:
        product ^= a if b & 1 else 0
        a = (a << 1) ^ (0x11B if a & 0x80 else 0)
        b >>= 1
    return product


def gf_sbox():
    """The substitution from its definition: the inverse in the field, then an affine map."""
    inverse = {a: b for a in range(256) for b in range(256) if gf_multiply(a, b) == 1}
    table = []
    for x in range(256):
        b = inverse.get(x, 0)
        rotated = [(b << s | b >> (8 - s)) & 255 for s in range(5)]
        table.append(rotated[0] ^ rotated[1] ^ rotated[2] ^ rotated[3] ^ rotated[4] ^ 0x63)
    return table


def encrypt(key, block):
    """AES-256 as FIPS 197 writes it, with the whole key schedule first."""
    sbox = gf_sbox()
    words = [key[4 * i : 4 * i + 4] for i in range(8)]
    rcon = 1
    for i in range(8, 60):
        last = list(words[-1])
        if i % 8 == 0:
            last = [sbox[b] for b in last[1:] + last[:1]]
            last[0] ^= rcon
            rcon = gf_multiply(rcon, 2)
        elif i % 8 == 4:
            last = [sbox[b] for b in last]
        words.append([a ^ b for a, b in zip(words[i - 8], last)])

    def add(state, number):
        flat = [b for word in words[4 * number : 4 * number + 4] for b in word]
        return [a ^ b for a, b in zip(state, flat)]

    state = add(block, 0)
    for number in range(1, 15):
        state = [sbox[b] for b in state]
        state = [state[(i + 4 * (i % 4)) % 16] for i in range(16)]
        if number < 14:
            mixed = []
            for c in range(0, 16, 4):
                column = state[c : c + 4]
                for r in range(4):
                    factors = [(2, 3, 1, 1)[(j - r) % 4] for j in range(4)]
                    value = 0
                    for factor, byte in zip(factors, column):
                        value ^= gf_multiply(byte, factor)
                    mixed.append(value)
            state = mixed
        state = add(state, number)
    return state


@case("aes", "aes")
def aes_standard(inputs):
    # The example of FIPS 197, appendix C.3.
    key, block = list(range(32)), [17 * i for i in range(16)]
    answer = list(bytes.fromhex("8ea2b7ca516745bfeafc49904b496089"))
    assert encrypt(key, block) == answer
    return {"k": key, "buf": block}, {"buf": answer, "k": key}


@case("aes", "aes")
def aes_random(inputs):
    key, block = inputs.integers(32, low=0, high=255), inputs.integers(16, low=0, high=255)
    return {"k": key, "buf": block}, {"buf": encrypt(key, block)}


@case("backprop", "backprop", SINGLE)
def backprop(inputs):
    w1, w2, x, target = inputs.reals(6, 5), inputs.reals(5, 3), inputs.reals(6), inputs.reals(3)
    h = [max(0.0, dot(column, x)) for column in zip(*w1)]
    y = [dot(column, h) for column in zip(*w2)]
    out = [a - b for a, b in zip(y, target)]
    back = [dot(row, out) if value > 0 else 0.0 for row, value in zip(w2, h)]
    want1 = [[w - 0.0625 * d * value for w, d in zip(row, back)] for row, value in zip(w1, x)]
    want2 = [[w - 0.0625 * d * value for w, d in zip(row, out)] for row, value in zip(w2, h)]
    args = {"w1": w1, "w2": w2, "x": x, "target": target, "y": zeros(3)}
    return args, {"w1": want1, "w2": want2, "y": y, "result": dot(out, out) / 2}


def graph(inputs):
    """A graph of 16 nodes in rows of edges, not all of it reachable."""
    degrees = [3] * 16
    targets = []
    for node, degree in enumerate(degrees):
        # The last four nodes are an island.
        low, high = (12, 15) if node >= 12 else (0, 11)
        targets.append([inputs.integer(low, high) for _ in range(degree)])
    begin = [sum(degrees[:i]) for i in range(17)]
    return begin, targets


def levels(targets, start):
    level = {start: 0}
    frontier = [start]
    while frontier:
        found = {t for n in frontier for t in targets[n] if t not in level}
        level |= {t: level[frontier[0]] + 1 for t in found}
        frontier = sorted(found)
    return [level.get(n, 127) for n in range(16)]


@case("bfs_bulk", "bfs_bulk")
def bfs_bulk(inputs):
    begin, targets = graph(inputs)
    level = levels(targets, 2)
    args = {"begin": begin, "target": sum(targets, []), "start": 2, "level": zeros(16), "counts": zeros(16)}
    return args, {"level": level, "counts": [level.count(k) for k in range(16)]}


@case("bfs_queue", "bfs_queue")
def bfs_queue(inputs):
    begin, targets = graph(inputs)
    level = levels(targets, 5)
    args = {"begin": begin, "target": sum(targets, []), "start": 5, "level": zeros(16)}
    return args, {"level": level, "result": sum(x != 127 for x in level)}


@case("fft_strided", "fft_strided", SINGLE)
def fft_strided(inputs):
    n = 16
    real, img = inputs.reals(n), inputs.reals(n)
    spectrum = []
    for k in range(n):
        turns = [cmath.exp(-2j * math.pi * k * t / n) for t in range(n)]
        spectrum.append(sum(complex(a, b) * w for a, b, w in zip(real, img, turns)))
    order = [int(f"{k:04b}"[::-1], 2) for k in range(n)]
    want = {"real": [spectrum[k].real for k in order], "img": [spectrum[k].imag for k in order]}
    return {"real": real, "img": img}, want


def gemm_blocked(inputs):
    a, b, c = inputs.integers(8, 8), inputs.integers(8, 8), inputs.integers(8, 8)
    want = [[old + new for old, new in zip(*rows)] for rows in zip(c, matmul(a, b))]
    return {"m1": a, "m2": b, "prod": c}, {"prod": want}


case("gemm_blocked", "gemm_blocked[f32, 8, 4]", SINGLE)(gemm_blocked)
case("gemm_blocked", "gemm_blocked[i32, 8, 4]")(gemm_blocked)


def gemm_ncubed(inputs):
    a, b = inputs.integers(8, 8), inputs.integers(8, 8)
    args = {"m1": sum(a, []), "m2": sum(b, []), "prod": zeros(64)}
    return args, {"prod": sum(matmul(a, b), [])}


case("gemm_ncubed", "gemm_ncubed[f64, 8]", DOUBLE)(gemm_ncubed)
case("gemm_ncubed", "gemm_ncubed[i16, 8]")(gemm_ncubed)


@case("kmp", "kmp[48, 4]")
def kmp(inputs):
    text = inputs.integers(48, low=97, high=98)
    text[10:14] = text[13:17] = [97, 98, 97, 97]
    text[30:37] = [97, 98, 97, 97, 98, 97, 97]
    pattern = [97, 98, 97, 97]
    matches = sum(text[i : i + 4] == pattern for i in range(45))
    assert matches > 1
    return {"pattern": pattern, "text": text}, {"result": matches}


def force(here, there):
    """The Lennard-Jones force of one atom on another."""
    delta = [a - b for a, b in zip(here, there)]
    inverse = 1.0 / dot(delta, delta)
    sixth = inverse**3
    return [d * inverse * sixth * (1.5 * sixth - 2.0) for d in delta]


def total_force(here, others):
    return [sum(parts) for parts in zip([0.0] * 3, *(force(here, there) for there in others))]


def lattice(inputs, *corner):
    """A position near a corner of a lattice, so that no two atoms are close."""
    return [1.5 * x + inputs.real(-0.25, 0.25) for x in corner]


@case("md_knn", "md_knn", SINGLE)
def md_knn(inputs):
    position = [lattice(inputs, i & 1, i >> 1 & 1, i >> 2) for i in range(8)]
    neighbour = [[(i + d) % 8 for d in (1, 2, 3, 5)] for i in range(8)]
    want = [total_force(position[i], [position[j] for j in neighbour[i]]) for i in range(8)]
    return {"force": zeros(8, 3), "position": position, "neighbour": neighbour}, {"force": want}


@case("md_grid", "md_grid", SINGLE)
def md_grid(inputs):
    cells = [(x, y, z) for x in range(2) for y in range(2) for z in range(2)]
    points, position, want = zeros(2, 2, 2), zeros(2, 2, 2, 3, 3), zeros(2, 2, 2, 3, 3)
    atoms = []
    for x, y, z in cells:
        points[x][y][z] = inputs.integer(1, 3)
        for p in range(points[x][y][z]):
            position[x][y][z][p] = lattice(inputs, x, y, 3 * z + p)
            atoms.append(((x, y, z, p), position[x][y][z][p]))
    for (x, y, z, p), here in atoms:
        want[x][y][z][p] = total_force(here, [there for _, there in atoms if there is not here])
    args = {"n_points": points, "force": zeros(2, 2, 2, 3, 3), "position": position}
    return args, {"force": want}


def mergesort(inputs):
    a = inputs.integers(16)
    return {"a": a}, {"a": sorted(a)}


case("mergesort", "mergesort[i32, 16]")(mergesort)
case("mergesort", "mergesort[f32, 16]")(mergesort)


@case("nw", "nw")
def nw(inputs):
    a, b = inputs.integers(8, low=65, high=68), inputs.integers(9, low=65, high=68)
    score = {}
    for j in range(10):
        for i in range(9):
            if i == 0 or j == 0:
                score[j, i] = -(i + j)
                continue
            same = 1 if a[i - 1] == b[j - 1] else -1
            score[j, i] = max(score[j - 1, i - 1] + same, score[j - 1, i] - 1, score[j, i - 1] - 1)
    pairs, i, j = [], 8, 9
    while i or j:
        here = score[j, i]
        if j == 0 or (i and here == score[j, i - 1] - 1):
            pairs.append((a[i - 1], 45))
            i -= 1
        elif i == 0 or here == score[j - 1, i] - 1:
            pairs.append((45, b[j - 1]))
            j -= 1
        else:
            pairs.append((a[i - 1], b[j - 1]))
            i, j = i - 1, j - 1
    pairs += [(95, 95)] * (17 - len(pairs))
    args = {"seq_a": a, "seq_b": b, "aligned_a": zeros(17), "aligned_b": zeros(17)}
    return args, {"aligned_a": [p[0] for p in pairs], "aligned_b": [p[1] for p in pairs], "result": score[9, 8]}


@case("radixsort", "radixsort")
def radixsort(inputs):
    a = inputs.integers(24, low=0, high=65535)
    return {"a": a}, {"a": sorted(a)}


@case("spmv_crs", "spmv_crs", DOUBLE)
def spmv_crs(inputs):
    dense = zeros(10, 10)
    val, cols, rows = [], [], [0]
    for i in range(10):
        # Row 4 is empty.
        for j in sorted(inputs.random.sample(range(10), 0 if i == 4 else inputs.integer(1, 4))):
            dense[i][j] = inputs.real()
            val.append(dense[i][j])
            cols.append(j)
        rows.append(len(val))
    vec = inputs.reals(10)
    pad = [0] * (32 - len(val))
    args = {"val": val + pad, "cols": cols + pad, "row_delimiters": rows, "vec": vec, "out": zeros(10)}
    return args, {"out": matvec(dense, vec)}


@case("spmv_ellpack", "spmv_ellpack", SINGLE)
def spmv_ellpack(inputs):
    dense, vec = zeros(10, 10), inputs.reals(10)
    values, cols = inputs.reals(10, 4), []
    for i in range(10):
        cols.append(sorted(inputs.random.sample(range(10), 4)))
        for value, j in zip(values[i], cols[i]):
            dense[i][j] = value
    out = inputs.reals(10)
    want = [old + new for old, new in zip(out, matvec(dense, vec))]
    return {"nzval": values, "cols": cols, "vec": vec, "out": out}, {"out": want}


@case("stencil2d", "stencil2d")
def stencil2d(inputs):
    orig, taps, sol = inputs.integers(10, 8), inputs.integers(3, 3), inputs.integers(10, 8)
    want = copied(sol)
    for r in range(8):
        for c in range(6):
            want[r][c] = sum(dot(taps[k], orig[r + k][c : c + 3]) for k in range(3))
    return {"orig": orig, "sol": sol, "taps": taps}, {"sol": want}


@case("stencil3d", "stencil3d")
def stencil3d(inputs):
    h, c, r = 5, 6, 7
    orig, coef = inputs.integers(h, c, r), inputs.integers(2)
    want = copied(orig)
    steps = [(1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0), (0, 0, 1), (0, 0, -1)]
    for i in range(1, h - 1):
        for j in range(1, c - 1):
            for k in range(1, r - 1):
                around = sum(orig[i + di][j + dj][k + dk] for di, dj, dk in steps)
                want[i][j][k] = coef[0] * orig[i][j][k] + coef[1] * around
    return {"coef": coef, "orig": orig, "sol": zeros(h, c, r)}, {"sol": want}


@case("viterbi", "viterbi")
def viterbi(inputs):
    steps, states = 8, 4
    obs = inputs.integers(steps, low=0, high=3)
    init = inputs.reals(states, low=0.0, high=8.0)
    transition, emission = inputs.reals(4, 4, low=0.0, high=8.0), inputs.reals(4, 4, low=0.0, high=8.0)

    def cost(path):
        total = init[path[0]] + emission[path[0]][obs[0]]
        for t in range(1, steps):
            total += transition[path[t - 1]][path[t]] + emission[path[t]][obs[t]]
        return total

    # Every path; the sums are exact, and the inputs are such that one path is the best.
    paths = [[(n >> 2 * t) & 3 for t in range(steps)] for n in range(4**steps)]
    costs = sorted((cost(path), path) for path in paths)
    assert costs[0][0] < costs[1][0]
    args = {"obs": obs, "init": init, "transition": transition, "emission": emission, "path": zeros(steps)}
    return args, {"path": costs[0][1]}


if __name__ == "__main__":
    main()
