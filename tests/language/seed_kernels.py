# The shapes of kernel that the language's published description shows, with other names and numbers.
import allo
from allo import KernelOptions, Template, apint, bf16, consteval, constexpr, f32, i8, i32, kernel
from allo import range as allo_range


@kernel
def axpy(a: f32, x: "f32[3]", y: "f32[3]", out: "f32[3]"):
    for i in range(3):
        out[i] = a * x[i] + y[i]


#: axpy {"a": 2, "x": [1, 2, 3], "y": [0.5, 0.5, 0.5], "out": [0, 0, 0]} -> {"out": [2.5, 4.5, 6.5]}


@kernel
def sum_scalars(x: i32, y: i32) -> i32:
    return x + y


#: sum_scalars {"x": 2147483647, "y": 1} -> {"return": -2147483648}


@kernel
def sum_arrays(x: "i32[2]", y: "i32[2]") -> "i32[2]":
    out: "i32[2]" = 0
    for i in range(2):
        out[i] = x[i] + y[i]
    return out


#: sum_arrays {"x": [1, -2], "y": [10, 20]} -> {"return": [11, 18]}


@kernel
def count_up(out: "i32[4]"):
    for i in range(4):
        out[i] = i


@kernel
def nothing(out: "i32[4]") -> None:
    return


#: count_up {"out": [9, 9, 9, 9]} -> {"out": [0, 1, 2, 3]}
#: nothing {"out": [9, 9, 9, 9]} -> {"out": [9, 9, 9, 9]}


@kernel
def pair(x: i32, y: f32) -> (i32, f32):
    return x + 1, y + 1.0


@kernel
def use_pair(x: i32, y: f32, out: "f32[1]"):
    left, right = pair(x, y)
    out[0] = right + left


#: pair {"x": -1, "y": 0.25} -> {"return": [0, 1.25]}
#: use_pair {"x": 3, "y": 0.5, "out": [0]} -> {"out": [5.5]}


@kernel
def early(cond: allo.bool, x: i32, y: i32) -> i32:
    if cond:
        return x
    return y


#: early {"cond": 1, "x": 5, "y": 6} -> {"return": 5}
#: early {"cond": 0, "x": 5, "y": 6} -> {"return": 6}


@kernel
def with_helper(x: i32, out: "i32[1]"):
    @kernel
    def plus_one(v: i32) -> i32:
        return v + 1

    out[0] = plus_one(x)


#: with_helper {"x": 41, "out": [0]} -> {"out": [42]}

u17 = apint(17)
i23 = apint(23, signed=True)


@kernel
def odd_widths(x: u17, y: i23, out: "u17[1]"):
    out[0] = x + y


#: odd_widths {"x": 131071, "y": -2, "out": [0]} -> {"out": [131069]}
#: odd_widths {"x": 0, "y": -1, "out": [0]} -> {"out": [131071]}


@kernel
def ranks(a: "f32[8]", b: "i32[4, 4]", acc: "f32[]"):
    acc[()] = a[0] + b[0, 0]


#: ranks {"a": [0.5,0,0,0,0,0,0,0], "b": [7,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0], "acc": 0} -> {"acc": 7.5}

M = 2
N = 3


@kernel
def to_matrix(inp: "i32[M * N]", out: "i32[M, N]"):
    for i, j in allo.grid(M, N):
        out[i, j] = inp[i * N + j]


#: to_matrix {"inp": [1, 2, 3, 4, 5, 6], "out": [0, 0, 0, 0, 0, 0]} -> {"out": [[1, 2, 3], [4, 5, 6]]}


@kernel(options=KernelOptions(enable_tensor=True))
def sum_tensors(x: "f32[2]", y: "f32[2]") -> "f32[2]":
    return x + y


#: sum_tensors {"x": [1, 2], "y": [0.5, 0.25]} -> {"return": [1.5, 2.25]}


@kernel
def declared(x: i32, out: "i32[4]"):
    base: i32 = x
    tmp: "i32[4]" = 0
    for i in range(4):
        tmp[i] = base + i
        out[i] = tmp[i]


#: declared {"x": 10, "out": [0, 0, 0, 0]} -> {"out": [10, 11, 12, 13]}


@kernel
def buffered(out: "i32[4]"):
    buf: "i32[4]"
    for i in range(4):
        buf[i] = i
        out[i] = buf[i]


#: buffered {"out": [9, 9, 9, 9]} -> {"out": [0, 1, 2, 3]}


@kernel
def inferred(cond: allo.bool, x: i32, y: i32, out: "i32[1]"):
    v = x
    if cond:
        v = y
    else:
        v = x + y
    out[0] = v


#: inferred {"cond": 1, "x": 3, "y": 4, "out": [0]} -> {"out": [4]}
#: inferred {"cond": 0, "x": 3, "y": 4, "out": [0]} -> {"out": [7]}


@kernel
def known_bound(out: "i32[4]"):
    K: constexpr = 4
    for i in range(K):
        out[i] = i


#: known_bound {"out": [9, 9, 9, 9]} -> {"out": [0, 1, 2, 3]}


@kernel
def table(out: "i32[2, 2]"):
    scale: constexpr = 3
    values: "i32[2, 2]" = [[1, scale], [scale + 1, scale + 2]]
    for i, j in allo.grid(2, 2):
        out[i, j] = values[i, j]


#: table {"out": [0, 0, 0, 0]} -> {"out": [[1, 3], [4, 5]]}


@kernel
def block_scope(cond: allo.bool, x: i32, out: "i32[1]"):
    value: i32 = 0
    if cond:
        value = x
    else:
        value = x + 1
    out[0] = value


#: block_scope {"cond": 0, "x": 6, "out": [0]} -> {"out": [7]}


@kernel
def capturing(x: i32, out: "i32[1]"):
    offset: constexpr = 2
    T: constexpr = i32

    @kernel
    def add_offset(v: T) -> T:
        return v + offset

    out[0] = add_offset(x)


#: capturing {"x": 5, "out": [0]} -> {"out": [7]}


@kernel
def three_ranges(out: "i32[20]"):
    for i in range(10):
        out[i] = i
    for i in range(10, 20):
        out[i] = i
    for i in allo_range(0, 20, 2):
        out[i] = i * 2


#: three_ranges {"out": [0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0]} -> {"out": [0,1,4,3,8,5,12,7,16,9,20,11,24,13,28,15,32,17,36,19]}


@kernel
def runtime_bounds(a: "i32[10]", out: "i32[10]"):
    for i in range(10):
        for j in range(a[i], 10, a[i]):
            out[j] += i


#: runtime_bounds {"a": [1,2,3,4,5,6,7,8,9,10], "out": [0,0,0,0,0,0,0,0,0,0]} -> {"out": [0,0,1,2,4,4,8,6,11,10]}
#: runtime_bounds {"a": [0,0,0,0,0,-1,0,0,0,9], "out": [0,0,0,0,0,0,0,0,0,0]} -> {"out": [0,0,0,0,0,0,0,0,0,9]}


@kernel
def product(a: "f32[2, 2]", b: "f32[2, 2]") -> "f32[2, 2]":
    c: "f32[2, 2]" = 0.0
    for i, j in allo.grid(2, 2):
        for k in range(2):
            c[i, j] += a[i, k] * b[k, j]
    return c


#: product {"a": [1, 2, 3, 4], "b": [5, 6, 7, 8]} -> {"return": [[19.0, 22.0], [43.0, 50.0]]}


@kernel
def strided(out: "i32[4, 4]"):
    for i, j in allo.grid((0, 4, 2), (1, 4, 2)):
        out[i, j] = i + j


#: strided {"out": [0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0]} -> {"out": [[0,1,0,3],[0,0,0,0],[0,3,0,5],[0,0,0,0]]}


@kernel
def while_sum(out: "i32[1]"):
    i: i32 = 0
    acc: i32 = 0
    while i < 4:
        acc += i
        i += 1
    out[0] = acc


#: while_sum {"out": [0]} -> {"out": [6]}


@kernel
def three_ways(x: i32, y: i32) -> i32:
    result: i32 = 0
    if x == 0:
        result = 1
    elif y > x:
        result = 2
    else:
        result = 3
    return result


#: three_ways {"x": 0, "y": 0} -> {"return": 1}
#: three_ways {"x": 1, "y": 2} -> {"return": 2}
#: three_ways {"x": 2, "y": 1} -> {"return": 3}


@kernel
def conditions(a: "i32[3]", b: i32) -> i32:
    out: i32 = 0
    if a[0] > 0 and b < 0:
        out = 1
    elif a[1] <= 1 or not (a[2] == 3):
        out = 2
    return out


#: conditions {"a": [1, 0, 0], "b": -1} -> {"return": 1}
#: conditions {"a": [1, 2, 4], "b": 1} -> {"return": 2}
#: conditions {"a": [1, 2, 3], "b": 1} -> {"return": 0}


@kernel
def choose(cond: allo.bool, x: i32, y: i32) -> i32:
    return x if cond else y


#: choose {"cond": 0, "x": 1, "y": 2} -> {"return": 2}


@kernel
def between(a: i32, b: i32, c: i32) -> allo.bool:
    return a < b and b < c


#: between {"a": 1, "b": 2, "c": 3} -> {"return": 1}
#: between {"a": 1, "b": 3, "c": 3} -> {"return": 0}


@kernel(options=KernelOptions(typing_style="cpp"))
def cpp_sum(x: allo.u32, y: i32, out: "u32[1]"):
    out[0] = x + y


#: cpp_sum {"x": 1, "y": -2, "out": [0]} -> {"out": [4294967295]}


@kernel(options=allo.KernelOptions(typing_style="hls"))
def hls_four(a: i32, b: i32, c: i32, d: i32, out: "i64[1]"):
    out[0] = a + b + c + d


@kernel(options=allo.KernelOptions(typing_style="cpp"))
def cpp_four(a: i32, b: i32, c: i32, d: i32, out: "i64[1]"):
    out[0] = a + b - c + d


#: hls_four {"a": 2147483647, "b": 2147483647, "c": 2147483647, "d": 2147483647, "out": [0]} -> {"out": [8589934588]}
#: cpp_four {"a": 2147483647, "b": 2147483647, "c": 0, "d": 5, "out": [0]} -> {"out": [3]}


@kernel
def clamped(x: i32, lo: i32, hi: i32) -> i32:
    return min(max(x, lo), hi)


#: clamped {"x": 9, "lo": 0, "hi": 5} -> {"return": 5}
#: clamped {"x": -9, "lo": 0, "hi": 5} -> {"return": 0}


@kernel
def copied(src: "f32[2, 2]", dst: "f32[2, 2]"):
    for i, j in allo.grid(2, 2):
        dst[i, j] = src[i, j]


#: copied {"src": [1, "-inf", -0.5, "nan"], "dst": [0, 0, 0, 0]} -> {"dst": [[1.0, "-inf"], [-0.5, "nan"]]}


@kernel(options=allo.KernelOptions(enable_tensor=True))
def dot_scalar(a: "f32[4]", b: "f32[4]") -> f32:
    return allo.linalg.dot(a, b)[()]


#: dot_scalar {"a": [1, 2, 3, 4], "b": [1, 10, 100, 1000]} -> {"return": 4321.0}


@kernel
def low_bit(x: allo.u32, out: "u1[1]"):
    out[0] = x[0]


#: low_bit {"x": 6, "out": [1]} -> {"out": [0]}


@kernel
def into(x: "f32[4]", y: "f32[4]", out: "f32[4]"):
    allo.arith.add(x, y, acc=out)


#: into {"x": [1, 2, 3, 4], "y": [0.5, 0.5, 0.5, 0.5], "out": [0, 0, 0, 0]} -> {"out": [1.5, 2.5, 3.5, 4.5]}


@kernel
def logistic(x: "f32[2]", out: "f32[2]"):
    for i in range(2):
        out[i] = 1.0 / (1.0 + allo.math.exp(-x[i]))


#: logistic {"x": [0, "inf"], "out": [0, 0]} -> {"out": [0.5, 1.0]}


@kernel(options=KernelOptions(enable_tensor=True))
def dense(a: "f32[1, 2]", b: "f32[2, 2]") -> "f32[1, 2]":
    return allo.linalg.matmul(a, b)


@kernel
def dense_into(a: "f32[1, 2]", b: "f32[2, 2]", out: "f32[1, 2]"):
    allo.linalg.matmul(a, b, acc=out)


#: dense {"a": [1, 2], "b": [3, 4, 5, 6]} -> {"return": [[13.0, 16.0]]}
#: dense_into {"a": [1, 2], "b": [3, 4, 5, 6], "out": [100, 200]} -> {"out": [[113.0, 216.0]]}

SCALE = 3


@kernel
def plus_global(x: i32) -> i32:
    return x + SCALE


@consteval
def factor():
    return 3


@kernel
def plus_consteval(x: i32) -> i32:
    return x + factor()


#: plus_global {"x": 4} -> {"return": 7}
#: plus_consteval {"x": 5} -> {"return": 8}

T = Template("T")
S = Template("S")


@kernel(T, S)
def fill_template(x: T, out: "T[S]"):
    for i in range(S):
        out[i] = x


fill_i32_4 = fill_template[i32, 4]

#: fill_template[i32, 2] {"x": 7, "out": [0, 0]} -> {"out": [7, 7]}
#: fill_template[f32, 3] {"x": 0.5, "out": [0, 0, 0]} -> {"out": [0.5, 0.5, 0.5]}
#: fill_i32_4 {"x": -1, "out": [0, 0, 0, 0]} -> {"out": [-1, -1, -1, -1]}

FixedT = i32


@kernel
def fixed_alias(x: FixedT, out: "FixedT[2]"):
    for i in range(2):
        out[i] = x


@kernel(T)
def delayed(x: T, out: "T[2]"):
    for i in range(2):
        out[i] = x


delayed_i8 = delayed[i8]
delayed_bf16 = delayed[bf16]

#: fixed_alias {"x": 3, "out": [0, 0]} -> {"out": [3, 3]}
#: delayed_i8 {"x": -3, "out": [0, 0]} -> {"out": [-3, -3]}
#: delayed_bf16 {"x": 1.5, "out": [0, 0]} -> {"out": [1.5, 1.5]}
