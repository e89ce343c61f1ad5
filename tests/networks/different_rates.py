from allo import *

@kernel
def pack(a: Stream[u8], o: Stream[u32]):
    for i in range(6):
        w: u32 = 0
        for j in range(4):
            w = (w << 8) | a.get()
        o.put(w)

@kernel
def unpack(s: Stream[u32], o: Stream[u8]):
    for i in range(6):
        w = s.get()
        o.put(w & 255)
        o.put((w >> 8) & 255)
        o.put((w >> 16) & 255)
        o.put(w >> 24)

@kernel
def top(a: Stream[u8], o: Stream[u8]):
    s: Stream[u32]
    pack(a, s)
    unpack(s, o)
