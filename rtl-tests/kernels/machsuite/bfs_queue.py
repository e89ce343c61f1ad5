"""Breadth-first search with a queue of nodes."""

from allo import i32, kernel

NODES = 16
EDGES = 48
UNSEEN = 127


@kernel
def bfs_queue(begin: "i32[NODES + 1]", target: "i32[EDGES]", start: i32, level: "i32[NODES]") -> i32:
    queue: "i32[NODES]"
    for n in range(NODES):
        level[n] = UNSEEN
    level[start] = 0
    queue[0] = start
    head: i32 = 0
    tail: i32 = 1
    while head < tail:
        node: i32 = queue[head]
        head += 1
        for e in range(begin[node], begin[node + 1]):
            there: i32 = target[e]
            if level[there] == UNSEEN:
                level[there] = level[node] + 1
                queue[tail] = there
                tail += 1
    return tail
