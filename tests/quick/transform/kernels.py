"""Kernels on which every transformation is compared with the reference: one for each corner."""

import allo
from allo import f32, i4, i8, i16, i32, index, kernel, u2, u3, u4, u8

# Promotion: an element that a loop keeps coming back to.


@kernel
def accumulate(x: "i32[8]", out: "i32[4]"):
    for i in range(8):
        out[2] += x[i]


@kernel
def accumulate_never(n: i8, x: "i32[8]", out: "i32[4]"):
    for i in range(n, 0):
        out[2] += x[0]


@kernel
def overwrite(x: "i32[8]", out: "i32[2]"):
    for i in range(8):
        out[1] = x[i]


@kernel
def overwrite_maybe(n: u4, x: "i32[16]", out: "i32[2]"):
    for i in range(n):
        out[1] = x[i]


@kernel
def conditional(x: "i8[8]", out: "i32[2]"):
    for i in range(8):
        if x[i] > 0:
            out[0] += x[i]
        else:
            out[0] -= 1


@kernel
def conditional_store_only(x: "i8[8]", out: "i32[2]"):
    for i in range(8):
        if x[i] > 0:
            out[0] = x[i]


@kernel
def two_elements(x: "i32[8]", out: "i32[2]"):
    for i in range(8):
        out[0] += x[i]
        out[1] += out[0]


@kernel
def swapped(x: "i32[8]", a: "i32[2]", b: "i32[2]"):
    for i in range(8):
        t: i32 = a[0]
        a[0] = b[0]
        b[0] = t + x[i]


@kernel
def moving(x: "i32[8]", out: "i32[8]"):
    for i in range(7):
        out[i + 1] = out[i] + x[i]


@kernel
def by_data(at: "index[2]", x: "i32[8]", out: "i32[8]"):
    for i in range(8):
        out[at[0]] += x[i]


@kernel
def by_own_data(out: "i32[8]"):
    for i in range(8):
        out[out[0] & 7] += 1


@kernel
def nested_rows(x: "i32[4, 4]", out: "i32[4]"):
    for i in range(4):
        for j in range(4):
            out[i] += x[i, j] * (j + 1)


@kernel
def nested_with_edges(x: "i32[4, 4]", out: "i32[4]"):
    for i in range(4):
        out[i] = 5
        for j in range(4):
            out[i] += x[i, j]
        out[i] *= 2


@kernel
def downwards(x: "i32[8]", out: "i32[1]"):
    for i in range(7, -1, -1):
        out[0] = out[0] * 3 + x[i]


@kernel
def inside_while(n: u8, out: "i32[2]"):
    i: i32 = 0
    while i < (n & 7):
        out[0] += i
        i += 1


@kernel
def loop_in_while(n: u8, x: "i32[4]", out: "i32[2]"):
    i: i32 = 0
    while i < (n & 3):
        for j in range(4):
            out[0] += x[j]
        i += 1


@kernel
def float_element(x: "f32[8]", out: "f32[1]"):
    for i in range(8):
        out[0] += x[i]


# Forwarding: a fill and the nest that visits every element after it.


@kernel
def filled(x: "i32[4, 4]") -> "i32[4]":
    c: "i32[4]" = 3
    for i in range(4):
        for j in range(4):
            c[i] += x[i, j]
    return c


@kernel
def filled_transposed(x: "i32[4, 4]") -> "i32[4, 4]":
    c: "i32[4, 4]" = 1
    for i in range(4):
        for j in range(4):
            c[j, i] = c[i, j] + x[i, j]
    return c


@kernel
def filled_by_column(x: "i32[4, 4]") -> "i32[4, 4]":
    c: "i32[4, 4]" = 1
    for i in range(4):
        for j in range(4):
            c[j, i] = c[j, i] + x[i, j]
    return c


@kernel
def filled_diagonal(x: "i32[4]") -> "i32[4, 4]":
    c: "i32[4, 4]" = 1
    for i in range(4):
        for j in range(4):
            c[i, i] = c[i, i] + x[j]
    return c


@kernel
def filled_half(x: "i32[8]") -> "i32[8]":
    c: "i32[8]" = 7
    for i in range(4):
        c[i] += x[i]
    return c


@kernel
def filled_conditionally(x: "i32[8]") -> "i32[8]":
    c: "i32[8]" = 7
    for i in range(8):
        if x[i] > 0:
            c[i] = x[i]
    return c


@kernel
def filled_neighbours(x: "i32[8]") -> "i32[8]":
    c: "i32[8]" = 7
    for i in range(8):
        c[i] = x[i]
        c[(i + 1) & 7] = c[(i + 1) & 7] + 1
    return c


@kernel
def filled_by_argument(v: i32, x: "i32[8]") -> "i32[8]":
    c: "i32[8]" = v
    for i in range(8):
        c[i] = c[i] + x[i]
        c[i] = c[i] * c[i]
    return c


@kernel
def filled_in_a_loop(x: "i32[8]", out: "i32[4]"):
    for n in range(4):
        c: "i32[8]" = n
        for i in range(8):
            c[i] += x[i]
        for i in range(8):
            out[n] += c[i]


@kernel
def filled_and_read_again(x: "i32[4]", out: "i32[4]"):
    c: "i32[4]" = 2
    for r in range(4):
        for i in range(4):
            c[i] += x[i]
    for i in range(4):
        out[i] = c[i]


@kernel
def filled_outer_reduction(x: "i32[4, 4]") -> "i32[4]":
    c: "i32[4]" = 0
    for k in range(4):
        for i in range(4):
            c[i] += x[k, i]
    return c


# Expansion, dead code, calls.


@kernel
def copies(x: "i16[2, 3]") -> "i32[2, 3]":
    c: "i32[2, 3]" = x
    d: "i32[2, 3]" = c
    return d


@kernel
def unused(x: "i32[4]", out: "i32[4]"):
    waste: "i32[4]" = 0
    for i in range(4):
        waste[i] = x[i]
        t: i32 = x[i] * 3
        out[i] = x[i]


@kernel
def twice(x: i32) -> i32:
    return x + x


@kernel
def row_sum(x: "i32[4]", start: i32) -> i32:
    acc: "i32[1]" = start
    for i in range(4):
        acc[0] += twice(x[i])
    return acc[0]


@kernel
def doubled(x: "i32[4]") -> "i32[4]":
    c: "i32[4]" = 0
    for i in range(4):
        c[i] = twice(x[i])
    return c


@kernel
def calls(x: "i32[4]", y: "i32[4]", out: "i32[4]"):
    c: "i32[4]" = doubled(x)
    d: "i32[4]" = doubled(c)
    for i in range(4):
        if y[i] > 0:
            out[i] = row_sum(d, y[i])
        else:
            out[i] = twice(row_sum(x, c[i]))


@kernel
def add_into(a: "i32[4]", b: "i32[4]", c: "i32[4]"):
    for i in range(4):
        a[i] += b[3 - i] * c[i]


@kernel
def aliased(x: "i32[4]", out: "i32[4]"):
    add_into(out, x, x)


@kernel
def wandering(at: "u8[4]", x: "i8[8]", out: "i32[8]"):
    for i in range(4):
        out[at[i]] += x[i]


@kernel
def reversed_into(a: "i32[4]", b: "i32[4]"):
    for i in range(3, -1, -1):
        a[3 - i] = a[3 - i] * 2 + b[i]
        b[0] += i


@kernel
def calls_downwards(x: "i32[4]", out: "i32[4]"):
    for n in range(2):
        reversed_into(out, x)


# Elements certainly apart ----------------------------------------------------------------------


@kernel
def triangular(a: "i32[6, 6]"):
    for i in range(6):
        for j in range(i):
            for k in range(j):
                a[i, j] -= a[i, k] * a[k, j]


@kernel
def triangular_touching(a: "i32[6, 6]"):
    for i in range(6):
        for j in range(i):
            for k in range(j + 1):
                a[i, j] -= a[i, k] * a[k, j]


@kernel
def triangular_above(a: "i32[6]"):
    for i in range(6):
        for k in range(i + 1, 6):
            a[i] += a[k]


@kernel
def triangular_above_shifted(a: "i32[8]"):
    for i in range(6):
        for k in range(i + 1, 6):
            a[i] += a[k - 1]


@kernel
def triangular_downwards(a: "i32[8]"):
    for i in range(8):
        for k in range(7, i, -1):
            a[i] += a[k]


@kernel
def guarded_apart(a: "i32[6, 6]"):
    for i in range(6):
        for j in range(6):
            for k in range(6):
                if k > i:
                    a[i, j] += a[k, j]


@kernel
def guarded_together(a: "i32[6, 6]"):
    for i in range(6):
        for j in range(6):
            for k in range(6):
                if k >= i:
                    a[i, j] += a[k, j]


@kernel
def by_narrow_counter(table: "i32[6, 6]"):
    for back in range(6):
        i: i32 = 5 - back
        for j in range(i + 1, 6):
            for k in range(i + 1, j):
                table[i, j] = max(table[i, j], table[i, k] + table[k + 1, j])


@kernel
def wrapping_bound(n: u2, a: "i32[6]"):
    for k in range(4):
        m: u2 = n + 1
        if k < m:
            a[n] += a[k]


# Accesses that need not be ---------------------------------------------------------------------


@kernel
def loaded_twice(a: "i32[8]", b: "i32[8]"):
    for i in range(1, 7):
        b[i] = (a[i - 1] - a[i]) * (a[i + 1] - a[i])


@kernel
def loaded_after_store(at: "u8[2]", a: "i32[8]", b: "i32[4]"):
    a[at[0]] = 5
    b[0] = a[at[0]]
    a[at[1]] = 6
    b[1] = a[at[0]]
    b[2] = a[at[1]]
    a[3] = 7
    a[4] = 8
    b[3] = a[3] + a[4]


@kernel
def overwritten(n: u3, a: "i32[8]", b: "i32[4]"):
    a[n] = 1
    a[n] = 2
    a[2] = 3
    b[0] = a[n]
    a[2] = 4
    for i in range(4):
        b[1] += i
    a[2] = 5


@kernel
def both_branches(n: "u3[2]", x: "i8[8]", a: "i32[8]"):
    for i in range(8):
        if x[i] > 5:
            a[i] = x[i]
        elif x[i] < 0:
            a[i] = 1
        else:
            a[i] = a[n[0]] + 1
        if x[i] == 0:
            a[n[1]] = 3
            a[i] = a[n[1]]
        else:
            a[i] = 2
            a[n[1]] = 4


@kernel
def stored_in_a_branch(x: "i32[4]", a: "i32[4]", b: "i32[4]"):
    for i in range(4):
        a[i] = x[i]
        if x[i] > 0:
            a[i] = 7
        b[i] = a[i]


@kernel
def stored_in_a_loop(n: u2, a: "i32[4]", b: "i32[4]"):
    b[0] = a[1]
    for i in range(n):
        b[1] = a[1]
        a[i] += 3
    b[2] = a[1]


# Windows: a load of what an earlier iteration loaded or stored.


@kernel
def stencil(a: "i16[16]", b: "i32[16]"):
    for i in range(2, 14):
        b[i] = a[i - 2] + a[i - 1] * 3 + a[i] - a[i + 1] + a[i + 2]


@kernel
def stencil_downwards(a: "i16[32]", b: "i32[32]"):
    for i in range(25, 3, -2):
        b[i] = a[i - 2] + a[i] * 3 - a[i + 2] + a[i + 1]


@kernel
def stencil_never(n: i8, a: "i16[16]", b: "i32[16]"):
    for i in range(n, 3):
        b[i] = a[i] + a[i + 1] + a[i + 2]


@kernel
def stencil_of_rows(a: "i16[6, 6]", b: "i32[6, 6]"):
    for i in range(1, 5):
        for j in range(1, 5):
            b[i, j] = a[i - 1, j] + a[i, j - 1] + a[i, j] + a[i, j + 1] + a[i + 1, j]


@kernel
def stencil_guarded(a: "i16[16]", b: "i32[16]") -> i32:
    total: i32 = 7
    for i in range(12):
        if a[i] > a[i + 3]:
            total += a[i + 1] + a[i + 2]
            b[i] = total
        else:
            b[i] += a[i + 2]
    return total


@kernel
def running(x: "i32[16]", out: "i32[16]"):
    for i in range(1, 16):
        out[i] = out[i - 1] + x[i]


@kernel
def two_back(n: u4, out: "i16[20]"):
    for i in range(2, n):
        out[i] = out[i - 1] - out[i - 2] * 3


@kernel
def shifted_in_place(a: "i32[16]"):
    for i in range(15):
        a[i] = a[i + 1] + a[i]


@kernel
def relaxed(a: "i32[16]"):
    for i in range(1, 15):
        a[i] = a[i - 1] + a[i] * 2 + a[i + 1]


@kernel
def paths(cost: "i8[5, 6]", best: "i32[5, 6]"):
    for i in range(1, 5):
        for j in range(1, 6):
            best[i, j] = cost[i, j] + max(best[i - 1, j - 1], max(best[i - 1, j], best[i, j - 1]))


@kernel
def copied_along(a: "i32[16]"):
    for i in range(12):
        a[i + 3] = a[i]


@kernel
def stored_maybe(x: "i8[16]", out: "i32[16]"):
    for i in range(1, 16):
        if x[i] > 0:
            out[i] = out[i - 1] + x[i]


@kernel
def stored_by_data(x: "u4[16]", out: "i32[16]"):
    for i in range(1, 15):
        out[x[i]] = out[i - 1] + out[i] + out[i + 1]


@kernel
def stored_twice(x: "i32[16]", out: "i32[16]"):
    for i in range(2, 15):
        out[i] = out[i - 1] + x[i]
        out[i - 1] = out[i - 2] + out[i + 1]


@kernel
def from_far_down(n: i32, a: "i16[16]", b: "i32[16]"):
    lo: index = n
    for i in range(lo - 9223372036854775807, 4):
        b[i] = a[i] + a[i + 1] + a[i + 2]


# Bypass: the data decide what is read and stored.


@kernel
def histogram(x: "u3[16]", count: "u8[8]"):
    for i in range(16):
        count[x[i]] += 1


@kernel
def histogram_of_image(x: "u3[4, 4]", weight: "i8[4, 4]", count: "i16[8]") -> i16:
    count_of_row: i16 = 0
    for i in range(4):
        for j in range(4):
            count[x[i, j]] = count[x[i, j]] * 3 + weight[i, j]
        count_of_row = count[x[i, 3]]
    return count_of_row


@kernel
def histogram_in_two(x: "u2[16]", y: "i4[16]", count: "i16[4, 4]"):
    for i in range(16):
        if y[i] > 0:
            count[x[i], y[i]] += 5
        elif y[i] == -1:
            pass
        else:
            count[x[i], 1] -= count[x[i], x[i]]


@kernel
def counted_maybe(x: "u3[16]", count: "i16[8]"):
    for i in range(16):
        if x[i] > 2:
            count[x[i]] = count[x[i] - 1] + 1


@kernel
def chased(next: "u4[16]", n: u4) -> index:
    at: index = 0
    for i in range(n):
        follow: index = next[at]
        next[at] = i
        at = follow
    return at


@kernel
def swapped_by_data(x: "u3[8]", y: "u3[8]", a: "i32[8]"):
    for i in range(8):
        t: i32 = a[x[i]]
        a[x[i]] = a[y[i]]
        a[y[i]] = t


@kernel
def histogram_reset(x: "u3[4, 4]", count: "u8[8]"):
    for i in range(4):
        count[i] = 7
        for j in range(4):
            count[x[i, j]] += 1


@kernel
def histogram_after_store(x: "u3[16]", count: "i32[8]") -> i32:
    total: i32 = 0
    for i in range(16):
        count[x[i]] = i
        total += count[x[(i * 5) % 16]]
    return total


# Interleaving: sums that do not depend on one another.


@kernel
def product_of_matrices(a: "f32[3, 4]", b: "f32[4, 7]", c: "f32[3, 7]"):
    for i in range(3):
        for j in range(7):
            total: f32 = c[i, j] * 0.5
            for k in range(4):
                total += a[i, k] * b[k, j]
            if total > 1.0:
                c[i, j] = total
            else:
                c[i, j] -= 1.0


@kernel
def product_with_vector(a: "f32[8, 3]", x: "f32[3]", y: "f32[8]"):
    for i in range(8):
        for k in range(3):
            y[i] += a[i, k] * x[k]


@kernel
def many_rows(a: "f32[80, 3]", y: "f32[80]"):
    for i in range(80):
        for k in range(2, -1, -2):
            y[i] = y[i] * 0.5 - a[i, k]


@kernel
def polynomials(c: "i32[4]", x: "i32[9]", y: "i32[30]"):
    for i in range(1, 26, 3):
        total: i32 = 1
        odd: i32 = 0
        for k in range(4):
            total, odd = total * x[i // 3] + odd, odd + c[k]
        y[i] = total + odd


@kernel
def rows_downwards(a: "f32[9, 4]", y: "f32[12]"):
    for i in range(8, 1, -1):
        for k in range(1, 4, 2):
            if a[i, k] > 0.0:
                y[i] = y[i] * a[i, k] + y[i - 1]


@kernel
def rows_in_a_chain(a: "f32[9, 4]", y: "f32[9]"):
    for i in range(1, 9):
        total: f32 = 0.0
        for k in range(4):
            total += a[i, k] * y[i - 1]
        y[i] = total


@kernel
def triangle(a: "f32[9, 9]", y: "f32[9]"):
    for i in range(9):
        total: f32 = 0.0
        for k in range(i):
            total += a[i, k]
        y[i] = total


@kernel
def sums_of_integers(a: "i16[9, 4]", y: "i32[9]"):
    for i in range(9):
        for k in range(4):
            y[i] += a[i, k]


@kernel
def sum_of_matrix(a: "f32[9, 4]") -> f32:
    total: f32 = 0.0
    for i in range(9):
        for k in range(4):
            total += a[i, k]
    return total


@kernel
def stores_while_it_sums(a: "f32[9, 4]", b: "f32[9, 4]", y: "f32[9]"):
    for i in range(9):
        total: f32 = 0.0
        for k in range(4):
            total += a[i, k]
            b[i, k] = total
        y[i] = total


# Nests of their own for factors, and around loops.


@kernel
def factors_of_rows_and_columns(a: "i32[4]", b: "i32[3]", c: "i32[4, 3, 17]", d: "i32[17]"):
    for i in range(4):
        for j in range(3):
            for k in range(17):
                c[i, j, k] += a[i] * a[i] * (b[j] * b[j]) * d[k]


@kernel
def factors_that_the_nest_writes(a: "i32[4]", c: "i32[4, 20]"):
    for i in range(4):
        for k in range(20):
            c[i, k] = a[i] * a[i]
            a[i] = c[i, k] + k


@kernel
def rows_between_loops(a: "i32[6, 4]", b: "i32[6]", c: "i32[6, 5]", s: i32):
    for i in range(6):
        for j in range(5):
            c[i, j] *= s
        for k in range(4):
            for j in range(5):
                c[i, j] += a[i, k] * b[k]
        b[i] = b[i] * b[i]


@kernel
def rows_of_others_between_loops(a: "i32[7, 4]", c: "i32[7, 5]", s: i32):
    for i in range(6):
        for j in range(5):
            c[i, j] *= s
        for k in range(4):
            a[i, k] = c[i + 1, k] * c[i, k]


# Loads before a loop that accesses the same array, and loads of the same array in both arms.


@kernel
def row_before_a_loop(x: "i32[40]", y: "i32[10, 12]", z: "i32[10]"):
    for i in range(10):
        a: i32 = x[i * 2]
        b: i32 = x[i * 3 + 1]
        total: i32 = a
        for j in range(12):
            total += x[j] * x[j + i] - b * y[i, j]
        z[i] = total + a - b


@kernel
def row_before_a_loop_down(x: "i32[40]", z: "i32[10]", n: i32):
    for i in range(10):
        a: i32 = x[i * 2]
        total: i32 = 0
        for j in range(n + 11, n, -1):
            total = total * 3 + x[j - n] * x[j - n + i] - a
        z[i] = total


@kernel
def loads_of_both_arms(x: "i32[40]", y: "i32[20]", z: "i32[20]"):
    for i in range(19):
        last: i32 = 0
        if y[i] > y[i + 1]:
            x[i] = last
            last = x[i] + x[i + 1]
            x[i + 2] = last
        else:
            last = x[i + 2]
            x[i + 1] = y[i]
            last -= x[i + 3] * x[i]
        z[i] = last


# Rows that line buffers hold.


@kernel
def rows_of_a_filter(x: "i32[14, 9]", y: "i32[12, 9]", n: i32):
    for r in range(12):
        for c in range(9):
            y[r, c] = x[r, c] + x[r + 1, c] * n - x[r + 2, c]


@kernel
def flat_rows_down(x: "i32[126]", y: "i32[12, 9]"):
    for r in range(11, -1, -1):
        for c in range(8, -1, -1):
            y[r, c] = x[r * 9 + c] * x[r * 9 + c + 9] - x[r * 9 + c + 18]


@kernel
def every_other_row(x: "i32[26, 9]", z: "i32[26, 9]", y: "i32[12, 9]"):
    for r in range(0, 24, 2):
        for c in range(9):
            y[r // 2, c] = x[r, c] + x[r + 1, c] * x[r + 2, c] + z[r, c] - z[r + 1, c]


@kernel
def rows_with_sums_and_branches(x: "i32[14, 9]", y: "i32[12]"):
    for r in range(12):
        total: i32 = r
        for c in range(9):
            if x[r + 2, c] > x[r, c]:
                total += x[r + 1, c]
        y[r] = total


@kernel
def rows_that_are_written(x: "i32[14, 9]"):
    for r in range(12):
        for c in range(9):
            x[r, c] = x[r, c] + x[r + 1, c] * x[r + 2, c]


# Turns: sums and recurrences of iterations that have nothing to do with one another, or have.


@kernel
def first_of_all(n: u4, m: u2, x: "f32[16, 4]", y: "f32[16]", z: "f32[16]"):
    for j in range(n):
        s: f32 = x[j, 3]
        for k in range(m):
            s += x[j, k]
        y[j] = s
        z[j] = y[0]


@kernel
def begun_once(c: u2, x: "f32[20, 6]", y: "f32[20, 6]"):
    for i in range(20):
        s: f32 = 3.0
        if c > 1:
            y[i, 1] = 1.0
            s = 2.0
        for j in range(2, 6):
            s = s * x[i, j]
            y[i, j - 1] = s


@kernel
def begun_with_a_factor(c: u2, x: "f32[20, 6]", y: "f32[20, 6]"):
    for i in range(20):
        s: f32 = 3.0
        if c > 1:
            y[i, 0] = 1.0
            s = 2.0
        for j in range(1, 6):
            y[i, j] = y[i, j - 1] * s + x[i, j]


@kernel
def own_and_shared(x: "f32[20, 6]", y: "f32[20, 6]", z: "f32[6]"):
    for i in range(20):
        for j in range(1, 6):
            y[i, j] = y[i, j - 1] * x[i, j]
            z[j] = z[j - 1] * y[i, j] - z[j]


@kernel
def begun_with_own(x: "f32[20, 6]", y: "f32[20, 6]"):
    for i in range(20):
        s: f32 = y[i, 1]
        for j in range(1, 6):
            s = s - x[i, j] * y[i, 1]
            y[i, j] = s


@kernel
def many_rows_of_recurrences(x: "f32[67, 4]", y: "f32[67, 4]", z: "f32[67]"):
    for i in range(67):
        y[i, 0] = z[i]
        for j in range(1, 4):
            y[i, j] = y[i, j - 1] * x[i, j] + z[i]
        z[i] = y[i, 2]


@kernel
def there_and_back(x: "f32[5, 18]", y: "f32[5, 18]", w: "f32[5, 18]"):
    for i in range(1, 17):
        y[0, i] = x[1, i + 1]
        for j in range(1, 5):
            y[j, i] = y[j - 1, i] - x[j, i - 1]
        w[4, i] = 1.0
        for j in range(3, -1, -1):
            w[j, i] = w[j + 1, i] * y[j, i]


@kernel
def recurrences_of_neighbours(y: "f32[18, 5]"):
    for i in range(1, 17):
        for j in range(1, 5):
            y[i, j] = y[i, j - 1] * y[i - 1, j] + y[i + 1, j]


@kernel
def decomposed(a: "f32[11, 11]"):
    for i in range(11):
        for j in range(i):
            for k in range(j):
                a[i, j] -= a[i, k] * a[k, j]
            a[i, j] = a[i, j] * a[j, j]
        for j in range(i, 11):
            for k in range(i):
                a[i, j] -= a[i, k] * a[k, j]


@kernel
def sums_to_the_diagonal(a: "f32[11, 11]", x: "f32[11, 11]"):
    for i in range(11):
        for j in range(i, 11):
            s: f32 = 0.5
            for k in range(i + 1):
                s += a[i, k] * x[k, j]
            a[i, j] = s


@kernel
def sums_above_the_diagonal(a: "f32[3, 12]", y: "f32[12, 12]"):
    for i in range(12):
        y[i, i] = 1.0
        for j in range(i + 1, 12):
            y[i, j] = 0.0
            for k in range(3):
                y[i, j] += a[k, i] * a[k, j]
            y[j, i] = y[i, j]


@kernel
def orthogonal(a: "f32[4, 9]", r: "f32[9, 9]"):
    for k in range(9):
        for j in range(k + 1, 9):
            r[k, j] = 0.0
            for i in range(4):
                r[k, j] += a[i, k] * a[i, j]
            for i in range(4):
                a[i, j] -= a[i, k] * r[k, j]


# Conditions on counters.


@kernel
def band(y: "i32[9, 9]", n: u3):
    for i in range(9):
        for j in range(9):
            if j > i - 2:
                if i + 2 > j:
                    y[i, j] += i
        for j in range(1, 8):
            if j + 1 <= n:
                y[i, j] = 7
        for j in range(9):
            if j < n:
                y[i, j] += 3
            else:
                y[i, j] -= 2


# Stencils that are no rectangles.


@kernel
def cross(x: "f32[12, 10]", y: "f32[12, 10]"):
    for i in range(1, 11):
        for j in range(1, 9):
            y[i, j] = x[i, j] + x[i, j - 1] - x[i, j + 1] * x[i + 1, j] - x[i - 1, j]


@kernel
def cross_turned(x: "f32[10, 12]", y: "f32[10, 12]"):
    for i in range(10, 0, -1):
        for j in range(8, 0, -1):
            y[j, i] = x[j - 1, i] - x[j + 1, i] * x[j, i + 1] - x[j, i - 1]


@kernel
def cross_in_place(x: "f32[12, 10]"):
    for i in range(1, 11):
        for j in range(1, 9):
            x[i, j] = x[i, j - 1] - x[i, j + 1] * x[i + 1, j] - x[i - 1, j]


# What branches load around a place is loaded everywhere; what a loop reads again and again stays in registers.


@kernel
def inside_of_a_border(a: "i16[6, 7]", b: "i32[6, 7]"):
    for i in range(6):
        for j in range(7):
            if i == 0 or i == 5 or j == 0 or j == 6:
                b[i, j] = 0
            else:
                b[i, j] = a[i - 1, j] + a[i, j - 1] - a[i, j + 1]


@kernel
def beyond_the_border_is_zero(a: "i16[9]", b: "i32[9]"):
    for i in range(9):
        s: i32 = a[i]
        if i > 0:
            s += a[i - 1]
            if i > 1:
                s -= a[i - 2]
        if i < 8:
            s += 3 * a[i + 1]
        b[i] = s


@kernel
def border_of_what_is_written(a: "i16[9]", b: "i32[9]"):
    for i in range(9):
        if i > 1 and i < 8:
            a[i] = a[i - 2] + a[i + 1] - a[i - 1]


@kernel
def two_neighbours(a: "i16[9]", b: "i32[9]"):
    for i in range(9):
        if i > 0 and i < 8:
            b[i] = a[i + 1] - a[i - 1]


@kernel
def scattered(x: "i16[9]", a: "i16[32]", b: "i32[9]"):
    for i in range(9):
        if x[i] > 0:
            b[i] = a[i + 1] - a[2 * i] + a[x[i]] * a[i]


@kernel
def taps_in_branches(a: "i16[12]", w: "i16[3]", b: "i32[12]"):
    for i in range(12):
        if i > 0 and i < 11:
            b[i] = a[i - 1] * w[0] + a[i] * w[1] + a[i + 1] * w[2]
        else:
            b[i] = a[i] * w[1]


@kernel
def borders_of_any_length(n: u4, a: "i16[16]", w: "i16[4]", b: "i32[16]", go: i8) -> i32:
    t: i32 = 1
    for i in range(n):
        if go > 0:
            if i >= 2:
                t += a[i - 2] * w[3] + a[i - 1] * w[2] + a[i] * w[1]
            b[i] = t * w[0]
    return t


@kernel
def a_rim_of_zeros(a: "i16[9, 6]", w: "i8[3, 3]", b: "i32[9, 6]"):
    for r in range(9):
        for c in range(6):
            s: i32 = 0
            if r > 0:
                if c > 0:
                    s += a[r - 1, c - 1] * w[0, 0]
                s += a[r - 1, c] * w[0, 1]
                if c < 5:
                    s += a[r - 1, c + 1] * w[0, 2]
            s += a[r, c] * w[1, 1]
            if r < 8 and c < 5:
                s += a[r + 1, c + 1] * w[2, 2]
            b[r, c] = s


@kernel
def a_rim_upwards(a: "f32[10, 7]", b: "f32[10, 7]"):
    for r in range(9, -1, -1):
        for c in range(6, -1, -1):
            if r > 0 and r < 9 and c > 0 and c < 6:
                b[r, c] = a[r - 1, c] + a[r + 1, c] + a[r, c - 1] + a[r, c + 1]
            else:
                b[r, c] = a[r, c]


@kernel
def a_row_that_comes_last(n: u4, a: "i16[12, 5]", b: "i32[12, 5]"):
    for r in range(n):
        for c in range(5):
            if r > 1 and r < 12:
                b[r, c] = a[r - 2, c] * 3 - a[r, c] + a[r - 1, 4 - c]
                if c > 2:
                    b[r, c] = a[r - 1, c - 3] + a[r, c - 1]


@kernel
def taps_of_a_nest(a: "i16[6, 8]", w: "i16[4]", b: "i32[6, 8]"):
    for i in range(6):
        for j in range(6):
            b[i, j] = a[i, j] * w[0] + a[i, j + 1] * w[1] + a[i, j + 2] * w[2]


@kernel
def two_taps(a: "i16[8]", w: "i16[4]", b: "i32[8]"):
    for i in range(8):
        b[i] = a[i] * w[0] + a[i] * w[1]


@kernel
def taps_that_move(a: "i16[8]", w: "i16[4]", n: u4):
    for i in range(3):
        w[i] = a[i] * w[0] + a[i] * w[1] + a[i + 1] * w[2]


@kernel
def a_neighbour_first(w: "i16[4, 8]", b: "i32[8]"):
    for i in range(8):
        b[i] = w[0, i] + w[1, 2]


# Places that are held inside of bounds.


@kernel
def beyond_the_border_is_the_border(a: "i16[12]", b: "i32[12]"):
    for i in range(12):
        b[i] = a[max(i - 1, 0)] + 3 * a[i] - a[min(i + 2, 11)] * a[max(0, i - 2)]


@kernel
def clamped_rows(a: "i16[10, 6]", w: "i8[3, 3]", b: "i32[10, 6]"):
    for r in range(10):
        for c in range(6):
            s: i32 = 0
            for i in range(3):
                for j in range(3):
                    s += a[min(max(r + i - 1, 0), 9), min(max(c + j - 1, 0), 5)] * w[i, j]
            b[r, c] = s


@kernel
def clamped_in_place(a: "i16[12]"):
    for i in range(12):
        a[i] = a[max(i - 1, 0)] + a[min(i + 1, 11)]


@kernel
def clamped_far_away(x: "i16[16]", n: u4, a: "i16[16]", b: "i32[16]"):
    for i in range(n):
        b[i] = a[max(i - 12, 0)] + a[max(i - 1, 0)] + a[min(max(x[i], 0), 15)] - a[min(i + 3, 15)]


@kernel
def clamped_with_a_narrow_middle(n: u4, a: "i16[16]", b: "i32[16]"):
    for i in range(n):
        if b[i] >= 0:
            k: i8 = min(max(i - 2, 3), 12)
            b[i] = a[k] + a[max(min(i, 14), 1)] + a[min(max(min(i, 9), 2), 10)]


@kernel
def clamped_by_an_argument(n: u4, m: i4, a: "i16[16]", b: "i32[16]"):
    for i in range(6):
        b[i] = a[max(m, 0)] + a[min(max(n - 2, 1), 11)] * a[max(i - 1, 0)]
