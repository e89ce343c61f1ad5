"""Four processes on an image of 64 x 64 pixels, one pixel a cycle: blur, gradient, threshold, histogram.

Blur and gradient keep the rows above in line buffers; pixels beyond the edges are 0.
"""

from allo import Stream, i32, kernel, u8, u10, u12, u16

H = 64
W = 64
LIMIT = 24


@kernel
def blur(pixels: Stream[u8], smooth: Stream[u8]):
    """Binomial 3 x 3: 1 2 1, 2 4 2, 1 2 1 over 16, of the pixel above and left."""
    above: "u8[W]" = 0
    above2: "u8[W]" = 0
    c0: u10 = 0
    c1: u10 = 0
    for y in range(H):
        for x in range(W):
            p = pixels.get()
            a1: u8 = above[x]
            a2: u8 = above2[x]
            column: u10 = a2 + 2 * a1 + p
            smooth.put((c0 + 2 * c1 + column) >> 4)
            above2[x] = a1
            above[x] = p
            c0 = 0 if x == W - 1 else c1
            c1 = 0 if x == W - 1 else column


@kernel
def gradient(smooth: Stream[u8], edges: Stream[u12]):
    """Sum of the absolute Sobel gradients."""
    above: "u8[W]" = 0
    above2: "u8[W]" = 0
    sum0: u10 = 0
    sum1: u10 = 0
    dif0: i32 = 0
    dif1: i32 = 0
    for y in range(H):
        for x in range(W):
            p = smooth.get()
            a1: u8 = above[x]
            a2: u8 = above2[x]
            total: u10 = a2 + 2 * a1 + p
            drop: i32 = p - a2
            gx: i32 = total - sum0
            gy: i32 = drop + 2 * dif1 + dif0
            edges.put(abs(gx) + abs(gy))
            above2[x] = a1
            above[x] = p
            last = x == W - 1
            sum0 = 0 if last else sum1
            sum1 = 0 if last else total
            dif0 = 0 if last else dif1
            dif1 = 0 if last else drop


@kernel
def threshold(edges: Stream[u12], strong: Stream[u12]):
    for i in range(H * W):
        e = edges.get()
        strong.put(e if e >= LIMIT else 0)


@kernel
def histogram(strong: Stream[u12], bins: "u16[32]"):
    count: "u16[32]" = 0
    for i in range(H * W):
        count[strong.get() >> 7] += 1
    for i in range(32):
        bins[i] = count[i]


@kernel
def edge_histogram(pixels: Stream[u8], bins: "u16[32]"):
    smooth: Stream[u8]
    sharp: Stream[u12]
    strong: Stream[u12]
    blur(pixels, smooth)
    gradient(smooth, sharp)
    threshold(sharp, strong)
    histogram(strong, bins)


@kernel
def plain(pixels: Stream[u8], bins: "u16[32]"):
    image: "u8[H, W]" = 0
    smooth: "u8[H, W]" = 0
    count: "u16[32]" = 0
    for y in range(H):
        for x in range(W):
            image[y, x] = pixels.get()
    for y in range(H):
        for x in range(W):
            total: u16 = 0
            for r in range(3):
                for c in range(3):
                    if y >= r and x >= c:
                        total += image[y - r, x - c] * (2 if r == 1 else 1) * (2 if c == 1 else 1)
            smooth[y, x] = total >> 4
    for y in range(H):
        for x in range(W):
            gx: i32 = 0
            gy: i32 = 0
            for r in range(3):
                for c in range(3):
                    if y >= r and x >= c:
                        gx += smooth[y - r, x - c] * (2 if r == 1 else 1) * (1 - c)
                        gy += smooth[y - r, x - c] * (2 if c == 1 else 1) * (1 - r)
            e: u12 = abs(gx) + abs(gy)
            count[(e if e >= LIMIT else 0) >> 7] += 1
    for i in range(32):
        bins[i] = count[i]
