"""Packets in a stream of bytes: kind, length, so many bytes, a checksum; a packet may go on in the next invocation.

The parser says of each byte whether a packet ended with it, and how; the tally counts the packets of each kind that were
right, and hands on the others.
"""

from allo import Stateful, Stream, kernel, u1, u2, u8, u16

BYTES = 64
NONE = 0
RIGHT = 1
WRONG = 2


@kernel
def parse(data: Stream[u8], events: Stream[u16]):
    """An event is a kind, and in its lowest two bits what became of the packet."""
    place: Stateful[u2] = 0
    kind: Stateful[u8] = 0
    left: Stateful[u8] = 0
    total: Stateful[u8] = 0
    for i in range(BYTES):
        byte = data.get()
        event: u16 = NONE
        if place == 0:
            kind = byte
            total = byte
            place = 1
        elif place == 1:
            left = byte
            total += byte
            place = 2 if byte > 0 else 3
        elif place == 2:
            total += byte
            left -= 1
            if left == 0:
                place = 3
        else:
            event = 4 * kind + (RIGHT if total == byte else WRONG)
            place = 0
        events.put(event)


@kernel
def tally(events: Stream[u16], wrong: Stream[u8], counts: "u16[16]"):
    seen: Stateful[u16[16]] = 0
    for i in range(BYTES):
        event = events.get()
        kind: u8 = event >> 2
        if event[0:2] == RIGHT:
            seen[kind & 15] += 1
        elif event[0:2] == WRONG:
            wrong.put(kind)
    for k in range(16):
        counts[k] = seen[k]


@kernel
def packet_counts(data: Stream[u8], wrong: Stream[u8], counts: "u16[16]"):
    events: Stream[u16]
    parse(data, events)
    tally(events, wrong, counts)


@kernel
def plain(data: Stream[u8], wrong: Stream[u8], counts: "u16[16]"):
    history: Stateful[u8[260]]
    have: Stateful[u16] = 0
    seen: Stateful[u16[16]]
    for i in range(BYTES):
        byte = data.get()
        history[have] = byte
        have += 1
        if have >= 3 and have == history[1] + 3:
            total: u8 = 0
            for k in range(have - 1):
                total += history[k]
            if total == byte:
                seen[history[0] & 15] += 1
            else:
                wrong.put(history[0])
            have = 0
    for k in range(16):
        counts[k] = seen[k]
