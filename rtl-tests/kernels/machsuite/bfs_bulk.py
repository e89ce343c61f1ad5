"""Breadth-first search level by level over all nodes, until nothing changes."""

from allo import i32, kernel

NODES = 16
EDGES = 48
UNSEEN = 127


@kernel
def bfs_bulk(begin: "i32[NODES + 1]", target: "i32[EDGES]", start: i32, level: "i32[NODES]", counts: "i32[NODES]"):
    for n in range(NODES):
        level[n] = UNSEEN
        counts[n] = 0
    level[start] = 0
    counts[0] = 1
    horizon: i32 = 0
    found: i32 = 1
    while found > 0 and horizon < NODES - 1:
        found = 0
        for n in range(NODES):
            if level[n] == horizon:
                for e in range(begin[n], begin[n + 1]):
                    there: i32 = target[e]
                    if level[there] == UNSEEN:
                        level[there] = horizon + 1
                        found += 1
        horizon += 1
        counts[horizon] = found
