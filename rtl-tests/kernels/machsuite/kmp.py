"""Knuth, Morris and Pratt's search: how often a pattern occurs in a text."""

from allo import Template, i32, index, kernel, u8

S = Template("S")
P = Template("P")


@kernel(P)
def failure_table(pattern: "u8[P]", kmp_next: "i32[P]"):
    k: i32 = 0
    kmp_next[0] = 0
    for q in range(1, P):
        while k > 0 and pattern[k] != pattern[q]:
            k = kmp_next[k - 1]
        if pattern[k] == pattern[q]:
            k += 1
        kmp_next[q] = k


@kernel(S, P)
def kmp(pattern: "u8[P]", text: "u8[S]") -> i32:
    kmp_next: "i32[P]"
    failure_table[P](pattern, kmp_next)
    matches: i32 = 0
    q: i32 = 0
    for i in range(S):
        while q > 0 and pattern[q] != text[i]:
            q = kmp_next[q - 1]
        if pattern[q] == text[i]:
            q += 1
        if q >= P:
            matches += 1
            q = kmp_next[q - 1]
    return matches
