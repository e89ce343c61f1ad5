"""The likeliest path through a hidden Markov model, by sums of negative logarithms."""

from allo import f32, kernel, u8

STEPS = 8
STATES = 4
TOKENS = 4


@kernel
def viterbi(
    obs: "u8[STEPS]",
    init: "f32[STATES]",
    transition: "f32[STATES, STATES]",
    emission: "f32[STATES, TOKENS]",
    path: "u8[STEPS]",
):
    llike: "f32[STEPS, STATES]"
    for s in range(STATES):
        llike[0, s] = init[s] + emission[s, obs[0]]

    for t in range(1, STEPS):
        for curr in range(STATES):
            min_p: f32 = llike[t - 1, 0] + transition[0, curr] + emission[curr, obs[t]]
            for prev in range(1, STATES):
                p: f32 = llike[t - 1, prev] + transition[prev, curr] + emission[curr, obs[t]]
                if p < min_p:
                    min_p = p
            llike[t, curr] = min_p

    min_s: u8 = 0
    best: f32 = llike[STEPS - 1, 0]
    for s in range(1, STATES):
        if llike[STEPS - 1, s] < best:
            best = llike[STEPS - 1, s]
            min_s = s
    path[STEPS - 1] = min_s

    for t in range(STEPS - 2, -1, -1):
        min_s = 0
        best = llike[t, 0] + transition[0, path[t + 1]]
        for s in range(1, STATES):
            q: f32 = llike[t, s] + transition[s, path[t + 1]]
            if q < best:
                best = q
                min_s = s
        path[t] = min_s
