"""Kernels of MachSuite at their original sizes and in the structure of their authors: flat arrays, no directives."""

from allo import Template, f64, i32, index, kernel, u8, u32

N = Template("N")


@kernel(N)
def gemm_ncubed(m1: "f64[N * N]", m2: "f64[N * N]", prod: "f64[N * N]"):
    for i in range(N):
        for j in range(N):
            total: f64 = 0.0
            for k in range(N):
                total += m1[i * N + k] * m2[k * N + j]
            prod[i * N + j] = total


ATOMS, NEIGHBOURS = 256, 16


@kernel
def md_knn(
    fx: "f64[ATOMS]",
    fy: "f64[ATOMS]",
    fz: "f64[ATOMS]",
    x: "f64[ATOMS]",
    y: "f64[ATOMS]",
    z: "f64[ATOMS]",
    neighbours: "i32[ATOMS * NEIGHBOURS]",
):
    for i in range(ATOMS):
        i_x: f64 = x[i]
        i_y: f64 = y[i]
        i_z: f64 = z[i]
        f_x: f64 = 0.0
        f_y: f64 = 0.0
        f_z: f64 = 0.0
        for j in range(NEIGHBOURS):
            other: i32 = neighbours[i * NEIGHBOURS + j]
            del_x: f64 = i_x - x[other]
            del_y: f64 = i_y - y[other]
            del_z: f64 = i_z - z[other]
            r2inv: f64 = 1.0 / (del_x * del_x + del_y * del_y + del_z * del_z)
            r6inv: f64 = r2inv * r2inv * r2inv
            potential: f64 = r6inv * (1.5 * r6inv - 2.0)
            strength: f64 = r2inv * potential
            f_x += del_x * strength
            f_y += del_y * strength
            f_z += del_z * strength
        fx[i] = f_x
        fy[i] = f_y
        fz[i] = f_z


LENGTH = 128
ROW = LENGTH + 1
ALIGN, SKIP_B, SKIP_A = 92, 60, 94
DASH, PAD = 45, 95


@kernel
def nw(
    seq_a: "u8[LENGTH]",
    seq_b: "u8[LENGTH]",
    aligned_a: "u8[2 * LENGTH]",
    aligned_b: "u8[2 * LENGTH]",
    score: "i32[ROW * ROW]",
    back: "u8[ROW * ROW]",
):
    for a in range(ROW):
        score[a] = a * -1
    for b in range(ROW):
        score[b * ROW] = b * -1
    for b in range(1, ROW):
        for a in range(1, ROW):
            same: i32 = 1 if seq_a[a - 1] == seq_b[b - 1] else -1
            up_left: i32 = score[(b - 1) * ROW + a - 1] + same
            up: i32 = score[(b - 1) * ROW + a] - 1
            left: i32 = score[b * ROW + a - 1] - 1
            best: i32 = max(up_left, max(up, left))
            score[b * ROW + a] = best
            if best == left:
                back[b * ROW + a] = SKIP_B
            elif best == up:
                back[b * ROW + a] = SKIP_A
            else:
                back[b * ROW + a] = ALIGN
    a: i32 = LENGTH
    b: i32 = LENGTH
    n: i32 = 0
    m: i32 = 0
    while a > 0 or b > 0:
        r: i32 = b * ROW
        if back[r + a] == ALIGN:
            aligned_a[n] = seq_a[a - 1]
            aligned_b[m] = seq_b[b - 1]
            a -= 1
            b -= 1
        elif back[r + a] == SKIP_B:
            aligned_a[n] = seq_a[a - 1]
            aligned_b[m] = DASH
            a -= 1
        else:
            aligned_a[n] = DASH
            aligned_b[m] = seq_b[b - 1]
            b -= 1
        n += 1
        m += 1
    for k in range(n, 2 * LENGTH):
        aligned_a[k] = PAD
    for k in range(m, 2 * LENGTH):
        aligned_b[k] = PAD


SIZE, BLOCKS, OF_BLOCK, RADIX = 2048, 512, 4, 4
BUCKETS = BLOCKS * RADIX
SCAN_BLOCK = 16
SCAN_RADIX = BUCKETS // SCAN_BLOCK


@kernel
def counted(bucket: "i32[BUCKETS]", total: "i32[SCAN_RADIX]", a: "i32[SIZE]", exp: i32):
    for i in range(BUCKETS):
        bucket[i] = 0
    for block in range(BLOCKS):
        for i in range(OF_BLOCK):
            digit: i32 = (a[block * OF_BLOCK + i] >> exp) & 3
            bucket[digit * BLOCKS + block + 1] += 1
    for radix in range(SCAN_RADIX):
        for i in range(1, SCAN_BLOCK):
            bucket[radix * SCAN_BLOCK + i] += bucket[radix * SCAN_BLOCK + i - 1]
    total[0] = 0
    for radix in range(1, SCAN_RADIX):
        total[radix] = total[radix - 1] + bucket[radix * SCAN_BLOCK - 1]
    for radix in range(SCAN_RADIX):
        for i in range(SCAN_BLOCK):
            bucket[radix * SCAN_BLOCK + i] += total[radix]


@kernel
def update(b: "i32[SIZE]", bucket: "i32[BUCKETS]", a: "i32[SIZE]", exp: i32):
    for i in range(BLOCKS):
        for block in range(OF_BLOCK):
            digit: i32 = (a[i * OF_BLOCK + block] >> exp) & 3
            b[bucket[digit * BLOCKS + i]] = a[i * OF_BLOCK + block]
            bucket[digit * BLOCKS + i] += 1


@kernel
def sort_radix(a: "i32[SIZE]", b: "i32[SIZE]", bucket: "i32[BUCKETS]", total: "i32[SCAN_RADIX]"):
    valid: i32 = 0
    for half in range(16):
        exp: i32 = half * 2
        if valid == 0:
            counted(bucket, total, a, exp)
            update(b, bucket, a, exp)
            valid = 1
        else:
            counted(bucket, total, b, exp)
            update(a, bucket, b, exp)
            valid = 0


ROWS, ELEMENTS = 494, 10


@kernel
def spmv_ellpack(nzval: "f64[ROWS * ELEMENTS]", cols: "i32[ROWS * ELEMENTS]", vec: "f64[ROWS]", out: "f64[ROWS]"):
    for i in range(ROWS):
        total: f64 = out[i]
        for j in range(ELEMENTS):
            total += nzval[j + i * ELEMENTS] * vec[cols[j + i * ELEMENTS]]
        out[i] = total


HEIGHT, WIDTH = 128, 64


@kernel
def stencil2d(orig: "i32[HEIGHT * WIDTH]", sol: "i32[HEIGHT * WIDTH]", taps: "i32[9]"):
    for r in range(HEIGHT - 2):
        for c in range(WIDTH - 2):
            total: i32 = 0
            for k1 in range(3):
                for k2 in range(3):
                    total += taps[k1 * 3 + k2] * orig[(r + k1) * WIDTH + c + k2]
            sol[r * WIDTH + c] = total


STEPS, STATES, TOKENS = 140, 64, 64


@kernel
def viterbi(
    obs: "u8[STEPS]",
    init: "f64[STATES]",
    transition: "f64[STATES * STATES]",
    emission: "f64[STATES * TOKENS]",
    path: "u8[STEPS]",
):
    llike: "f64[STEPS, STATES]"
    for s in range(STATES):
        llike[0, s] = init[s] + emission[s * TOKENS + obs[0]]
    for t in range(1, STEPS):
        for curr in range(STATES):
            min_p: f64 = llike[t - 1, 0] + transition[curr] + emission[curr * TOKENS + obs[t]]
            for prev in range(1, STATES):
                p: f64 = llike[t - 1, prev] + transition[prev * STATES + curr] + emission[curr * TOKENS + obs[t]]
                if p < min_p:
                    min_p = p
            llike[t, curr] = min_p
    min_s: u8 = 0
    best: f64 = llike[STEPS - 1, 0]
    for s in range(1, STATES):
        p: f64 = llike[STEPS - 1, s]
        if p < best:
            best = p
            min_s = s
    path[STEPS - 1] = min_s
    for t in range(STEPS - 2, -1, -1):
        min_s = 0
        best = llike[t, 0] + transition[path[t + 1]]
        for s in range(1, STATES):
            p: f64 = llike[t, s] + transition[s * STATES + path[t + 1]]
            if p < best:
                best = p
                min_s = s
        path[t] = min_s
