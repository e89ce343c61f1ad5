# Statements, scopes and calls.
import allo
from allo import *


@kernel
def downwards(out: "i32[6]"):
    n: i32 = 0
    for i in range(5, -1, -2):
        out[i] = n
        n += 1


#: downwards {"out": [9, 9, 9, 9, 9, 9]} -> {"out": [9, 2, 9, 1, 9, 0]}


@kernel
def runtime_step(s: i32, out: "i32[6]"):
    for i in range(0, 6, s):
        out[i] = 1


#: runtime_step {"s": 4, "out": [0, 0, 0, 0, 0, 0]} -> {"out": [1, 0, 0, 0, 1, 0]}
#: runtime_step {"s": 0, "out": [0, 0, 0, 0, 0, 0]} -> {"out": [0, 0, 0, 0, 0, 0]}
#: runtime_step {"s": -1, "out": [0, 0, 0, 0, 0, 0]} -> {"out": [0, 0, 0, 0, 0, 0]}


@kernel
def bounds_once(n: i32) -> i32:
    total: i32 = 0
    for i in range(n):
        n = 100
        total += 1
    return total + n


#: bounds_once {"n": 3} -> {"return": 103}


@kernel
def assigned_counter(out: "i32[4]"):
    for i in range(4):
        i = i * 0 + 1
        out[i] += 1


#: assigned_counter {"out": [0, 0, 0, 0]} -> {"out": [0, 4, 0, 0]}


@kernel
def outer_name_is_back(x: i32) -> i32:
    i: i32 = 7
    for i in range(3):
        x += 1
    return i + x


#: outer_name_is_back {"x": 1} -> {"return": 11}


@kernel
def same_name_in_two_blocks(x: i32, out: "i32[2]"):
    if x > 0:
        t: i8 = 200
        out[0] = t
    else:
        t: u8 = 200
        out[1] = t


#: same_name_in_two_blocks {"x": 1, "out": [0, 0]} -> {"out": [-56, 0]}
#: same_name_in_two_blocks {"x": 0, "out": [0, 0]} -> {"out": [0, 200]}


@kernel
def rank_zero(a: "i32[]") -> "i32[]":
    b: "i32[]" = 3
    b[()] += a[()]
    c: "i32[]"
    c = b
    b[()] = 0
    return c


#: rank_zero {"a": 4} -> {"return": 7}


@kernel
def assignment_copies(a: "i32[2]", out: "i32[2]") -> "i8[2]":
    b = a
    b[0] = 1
    c: "i8[2]" = a
    out = b
    b[1] = 99
    a = 5
    return c


#: assignment_copies {"a": [300, -3], "out": [0, 0]} -> {"return": [44, -3], "a": [5, 5], "out": [1, -3]}


@kernel
def zero_filled(x: i32) -> "i32[3]":
    r: "i32[3]"
    for i in range(2):
        t: "i32[2]"
        t[i] += x
        r[i] = t[0] + t[1]
    return r


#: zero_filled {"x": 4} -> {"return": [4, 4, 0]}


@kernel
def swap(x: i32, y: i32, a: "i32[2]") -> (i32, i32):
    x, y = y, x
    a[0], a[1] = a[1], a[0]
    return x, y


#: swap {"x": 1, "y": 2, "a": [3, 4]} -> {"return": [2, 1], "a": [4, 3]}


@kernel
def triple(x: i8) -> (i8, i16, "i32[2]"):
    both: "i32[2]" = x
    return x, x * 2, both


@kernel
def unpacked(x: i8) -> i32:
    a, b, c = triple(x)
    return a + b + c[1]


@kernel
def whole_tuple(x: i8) -> (i16, i16, "i32[2]"):
    a, b, c = triple(x)
    return b, a, c


#: unpacked {"x": 100} -> {"return": 400}
#: whole_tuple {"x": -2} -> {"return": [-4, -2, [-2, -2]]}


@kernel
def returns_in_branches(x: i32) -> i32:
    if x > 10:
        return 1
    elif x > 5:
        y: i32 = x * 2
        return y
    else:
        x += 100
    x += 1000
    return x


#: returns_in_branches {"x": 11} -> {"return": 1}
#: returns_in_branches {"x": 6} -> {"return": 12}
#: returns_in_branches {"x": 1} -> {"return": 1101}


@kernel
def leaves_early(x: i32, out: "i32[2]"):
    if x > 0:
        out[0] = 1
        return
    out[1] = 1


#: leaves_early {"x": 1, "out": [0, 0]} -> {"out": [1, 0]}
#: leaves_early {"x": 0, "out": [0, 0]} -> {"out": [0, 1]}


@kernel
def matched(x: i32) -> i32:
    r: i32 = 0
    match x:
        case 1 | 2:
            r = 10
        case -3:
            r = 20
        case _:
            r = x
    return r


#: matched {"x": 2} -> {"return": 10}
#: matched {"x": -3} -> {"return": 20}
#: matched {"x": 7} -> {"return": 7}


@kernel
def bits(x: u8, i: i32, a: "u8[2]") -> (u8, u1, u4, u4):
    y = x
    y[0] = 1
    y[i] = 1
    a[1][7] = 1
    a[0][i] ^= 1
    return y, x[i], x[4:8], x[i:i + 4]


#: bits {"x": 160, "i": 5, "a": [0, 0]} -> {"return": [161, 1, 10, 5], "a": [32, 128]}
#: bits {"x": 160, "i": 9, "a": [0, 0]} -> {"return": [161, 0, 10, 0], "a": [0, 128]}
#: bits {"x": 160, "i": -1, "a": [0, 0]} -> {"return": [161, 0, 10, 0], "a": [0, 128]}


@kernel
def static(x: "i32[3]") -> i32:
    K: constexpr = len(x) * 2
    static_assert(K == 6, "three elements")
    s: i32 = 0
    for i in range(len(x)):
        s += x[i]
    return s + x.shape[0] + K


#: static {"x": [1, 2, 3]} -> {"return": 15}


@kernel
def chosen_at_compile_time(x: i32) -> i32:
    r: i32 = 0
    if i32 == i32:
        r = x
    else:
        r = no_such_name(x)
    y = r if True else nor_this
    if 0.0:
        y = nor_that
    return y


#: chosen_at_compile_time {"x": 3} -> {"return": 3}


@kernel
def generic_helper(x: i8, y: f32, a: "i32[2]") -> f32:
    @kernel
    def first(u, v) -> f32:
        return u + v

    @kernel
    def of_array(u, w: i32) -> i32:
        u[0] = w
        return u[1]

    return first(x, y) + first(y, y) + of_array(a, x)


#: generic_helper {"x": 2, "y": 0.5, "a": [7, 8]} -> {"return": 11.5, "a": [2, 8]}


@kernel
def by_name(x: i8, a: "i32[2]") -> i32:
    a[0] += x
    return a[0]


@kernel
def calls(x: i32, a: "i32[2]") -> i32:
    by_name(x, a)
    return by_name(a=a, x=x + 1)


#: calls {"x": 127, "a": [1, 0]} -> {"return": 0, "a": [0, 0]}

N = Template("N")


@kernel(N)
def power_of(x: i32) -> i32:
    if N == 0:
        return 1
    else:
        return x * power_of[N - 1](x)


@kernel
def cube(x: i32) -> i32:
    return power_of[3](x)


#: cube {"x": -3} -> {"return": -27}
#: power_of[2] {"x": 5} -> {"return": 25}

T = Template("T")


@kernel(T)
def common(x: T, y: T) -> T:
    z: "T[2]" = 1
    z[1] = x if x > y else y
    return z[0] + z[1]


#: common[u8] {"x": 254, "y": 3} -> {"return": 255}
#: common[f16] {"x": 0.5, "y": 0.25} -> {"return": 1.5}
#: common[index] {"x": -4, "y": -5} -> {"return": -3}


@kernel
def order_of_evaluation(a: "i32[2]") -> i32:
    i: i32 = 0
    a[i] = a[i + 1] + 1
    a[a[0] - 5] += 10
    return a[0]


#: order_of_evaluation {"a": [0, 4]} -> {"return": 15, "a": [15, 4]}


@kernel
def first_assignment(x: i32) -> i64:
    a = 3
    b = 2.5
    c = True
    d = x + x
    a = b + b + b
    c = x
    return d + a + c


#: first_assignment {"x": 2147483647} -> {"return": 4294967302}


@kernel(options=KernelOptions(enable_tensor=True))
def tensors(x: "i32[2]", y: "i32[2]") -> "i32[2]":
    z = x
    x[0] = 100
    z[1] += x[0]
    return z + y


#: tensors {"x": [1, 2], "y": [10, 20]} -> {"return": [11, 122], "x": [1, 2]}


@kernel
def loops_of_while(n: u8) -> u8:
    steps: u8 = 0
    while n:
        n >>= 1
        steps += 1
    return steps


#: loops_of_while {"n": 255} -> {"return": 8}
#: loops_of_while {"n": 0} -> {"return": 0}


@kernel
def reversed_grid(out: "i32[2, 2]", n: i32):
    for i, j in allo.grid((1, -1, -1), n, name="g"):
        out[i, j] = i * 10 + j


#: reversed_grid {"out": [9, 9, 9, 9], "n": 1} -> {"out": [[0, 9], [10, 9]]}


@kernel
def moving_ranges(x: u32, i: u2) -> (u8, u8, u3, u4):
    W: constexpr = 4
    return x[i * 8:(i + 1) * 8], x[8 * i:8 + i * 8], x[i - 1:i + 2], x[24 - W * i:28 - i * W]


#: moving_ranges {"x": 2309737967, "i": 2} -> {"return": [171, 171, 7, 11]}
#: moving_ranges {"x": 2309737967, "i": 3} -> {"return": [137, 137, 3, 12]}
#: moving_ranges {"x": 2309737967, "i": 0} -> {"return": [239, 239, 6, 9]}


@kernel
def low_bit_of_constant(x: u8) -> u8:
    x[0] = 2
    x[1] = -1
    return x


#: low_bit_of_constant {"x": 1} -> {"return": 2}


@kernel
def ranges_across_the_ends(x: u8, i: i32) -> (u4, u16, u8, u16):
    j: i3 = i
    return x[i:i + 4], x[i:i + 16], x[j:j + 8], x[i * 5:i * 5 + 16]


#: ranges_across_the_ends {"x": 181, "i": -1} -> {"return": [10, 362, 106, 5792]}
#: ranges_across_the_ends {"x": 181, "i": -3} -> {"return": [8, 1448, 168, 32768]}
#: ranges_across_the_ends {"x": 181, "i": -4} -> {"return": [0, 2896, 80, 0]}
#: ranges_across_the_ends {"x": 181, "i": 3} -> {"return": [6, 22, 22, 0]}
#: ranges_across_the_ends {"x": 181, "i": 2147483647} -> {"return": [0, 0, 106, 0]}
#: ranges_across_the_ends {"x": 181, "i": -2147483648} -> {"return": [0, 0, 181, 0]}
