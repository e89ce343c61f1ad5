"""Best local alignment of a query and a reference (Smith and Waterman, 1981): a worker for each letter of the query.

Letters of the reference move through the workers; each computes its row of the table, an element a cycle, and hands on what
the next row needs: the letter, the score beside it, and the best score so far.
"""

import allo
from allo import Stream, kernel, i16, u2

Q = 8
R = 32
MATCH = 2
OTHER = -1
GAP = 1


@kernel
def feed(reference: "u2[R]", letters: Stream[u2][Q + 1], scores: Stream[i16][Q + 1]):
    for j in range(R):
        letters[0].put(reference[j])
        scores[0].put(0)


@kernel(mapping=[Q])
def row(
    query: "u2[Q]",
    letters: Stream[u2][Q + 1],
    scores: Stream[i16][Q + 1],
    best: Stream[i16][Q + 1],
):
    i = allo.get_wid(0)
    mine: u2 = query[i]
    most: i16 = 0
    left: i16 = 0
    corner: i16 = 0
    for j in range(R):
        letter = letters[i].get()
        above = scores[i].get()
        diagonal: i16 = corner + (MATCH if letter == mine else OTHER)
        beside: i16 = max(above, left) - GAP
        left = max(max(diagonal, beside), 0)
        corner = above
        most = max(most, left)
        if i < Q - 1:
            letters[i + 1].put(letter)
            scores[i + 1].put(left)
    before: i16 = 0
    if i > 0:
        before = best[i].get()
    best[i + 1].put(max(most, before))


@kernel
def alignment(query: "u2[Q]", reference: "u2[R]") -> i16:
    letters: Stream[u2][Q + 1]
    scores: Stream[i16][Q + 1]
    best: Stream[i16][Q + 1]
    feed(reference, letters, scores)
    row(query, letters, scores, best)
    return best[Q].get()


@kernel
def plain(query: "u2[Q]", reference: "u2[R]") -> i16:
    table: "i16[Q + 1, R + 1]" = 0
    most: i16 = 0
    for i in range(Q):
        for j in range(R):
            diagonal: i16 = table[i, j] + (MATCH if query[i] == reference[j] else OTHER)
            beside: i16 = max(table[i, j + 1], table[i + 1, j]) - GAP
            score: i16 = max(max(diagonal, beside), 0)
            table[i + 1, j + 1] = score
            most = max(most, score)
    return most
