"""Arguments of calls: what is taken, and how what is not is refused."""

import numpy as np
import pytest

from allo import apfloat, apint, bf16, f8e4m3, f16, f32, f64, i8, i32, index, kernel, u1, u8, u64, u128, Stream


@kernel
def mixed(a: u8, b: f32, c: index) -> f64:
    return a + b * 2.0


@kernel
def first(x: i8[3]) -> i8:
    return x[0]


@kernel
def copy(x: i32[2, 3], out: i32[2, 3]):
    out = x


i5 = apint(5, signed=True)
i100 = apint(100, signed=True)


@kernel
def narrow(x: i5[3], out: i5[3]):
    for i in range(3):
        out[i] = x[i] + 1


@kernel
def wide(x: i100[2], y: i100, out: i100[2]) -> i100:
    for i in range(2):
        out[i] = x[i] + y
    return y * 2


def test_scalars():
    assert mixed(3, 0.5, -(2**63)) == 4.0
    assert mixed(np.uint8(3), np.float32(0.5), np.int64(7)) == 4.0
    assert mixed(a=3, b=1, c=0) == 5.0
    assert mixed(True, 1.0, 0) == 3.0


@pytest.mark.parametrize(
    ("args", "error", "message"),
    [
        ((256, 0.0, 0), ValueError, "parameter 'a' is out of the range of u8: 256"),
        ((-1, 0.0, 0), ValueError, "parameter 'a' is out of the range of u8: -1"),
        ((1.0, 0.0, 0), TypeError, "parameter 'a' is an integer \\(u8\\), not float"),
        ((1, "x", 0), TypeError, "parameter 'b' is a number \\(f32\\), not str"),
        ((1, 0.0, 2**63), ValueError, "parameter 'c' is out of the range of index"),
        ((1, 0.0), TypeError, "mixed\\(\\) needs an argument for the parameter 'c'"),
        ((1, 0.0, 0, 0), TypeError, "takes 3 arguments, but 4 are given"),
    ],
)
def test_wrong_scalars(args, error, message):
    with pytest.raises(error, match=message):
        mixed(*args)


def test_wrong_names():
    with pytest.raises(TypeError, match="has no parameter 'd'"):
        mixed(1, 2.0, 3, d=4)
    with pytest.raises(TypeError, match="gets two values for the parameter 'a'"):
        mixed(1, 2.0, 3, a=1)


def test_arrays_of_wider_types_and_any_strides():
    x = np.arange(12, dtype=np.int64).reshape(2, 6)[:, ::2]
    out = np.zeros((3, 2), np.int64).T
    copy(x, out)
    assert out.tolist() == [[0, 2, 4], [6, 8, 10]]
    x = np.array([-16, 0, 15], np.int16)
    out = np.zeros(3, np.int8)
    narrow(x, out)
    assert out.tolist() == [-15, 1, -16]


def test_arrays_of_the_other_sign_have_their_values_checked():
    out = np.zeros((2, 3), np.uint32)
    copy(np.full((2, 3), 7, np.uint64), out)
    assert (out == 7).all()
    with pytest.raises(ValueError, match="'x' is out of the range of i32: 4294967295"):
        copy(np.full((2, 3), 2**32 - 1, np.uint32), np.zeros((2, 3), np.int32))
    with pytest.raises(ValueError, match="'out' gets -1, for which its type has no element"):
        copy(np.full((2, 3), -1, np.int32), out)
    assert (out == 7).all()


def test_elements_anywhere_in_memory():
    x = np.zeros(4 * 6 + 1, np.uint8)[1:].view(np.int32).reshape(2, 3)
    x[:] = np.arange(6).reshape(2, 3)
    records = np.zeros((2, 3), [("tag", "u1"), ("number", "i4")])
    copy(x, records["number"])
    assert records["number"].tolist() == [[0, 1, 2], [3, 4, 5]]


def test_integers_of_other_libraries_are_refused():
    ml_dtypes = pytest.importorskip("ml_dtypes")
    with pytest.raises(TypeError, match="'x' is an array of int4; for i5 it takes int8"):
        narrow(np.zeros(3, ml_dtypes.int4), np.zeros(3, np.int8))


def test_wrong_arrays():
    out = np.zeros((2, 3), np.int32)
    with pytest.raises(TypeError, match="'x' is an array of float32; for i32 it takes int32 or uint32 or int64 or uint64"):
        copy(np.zeros((2, 3), np.float32), out)
    with pytest.raises(TypeError, match="'x' is an array of uint16"):
        copy(np.zeros((2, 3), np.uint16), out)
    with pytest.raises(ValueError, match="'x' has the shape \\(2, 3\\), not \\(3, 2\\)"):
        copy(np.zeros((3, 2), np.int32), out)
    with pytest.raises(TypeError, match="'x' is an array of numpy, not list"):
        copy([[0, 0, 0], [0, 0, 0]], out)
    with pytest.raises(ValueError, match="'x' is out of the range of i32: 2147483648"):
        copy(np.full((2, 3), 2**31, np.int64), out)
    with pytest.raises(TypeError, match="another byte order"):
        copy(np.zeros((2, 3), ">i4"), out)
    frozen = out.copy()
    frozen.flags.writeable = False
    with pytest.raises(ValueError, match="'out' is a read-only array"):
        copy(out, frozen)
    copy(frozen, out)  # Only read.
    with pytest.raises(ValueError, match="shares memory"):
        copy(out, out)
    with pytest.raises(ValueError, match="shares memory"):
        both = np.zeros((3, 3), np.int32)
        copy(both[:2], both[1:])
    assert not out.any()


def test_elements_that_are_written_lie_apart():
    def strided(strides):
        return np.lib.stride_tricks.as_strided(np.zeros(8, np.int32), (2, 3), strides)

    x = np.arange(6, dtype=np.int32).reshape(2, 3)
    for strides in ((4, 4), (0, 4), (8, 4)):
        with pytest.raises(ValueError, match="'out' has elements that share memory with one another"):
            copy(x, strided(strides))
        # Read, they may lie anywhere.
        out = np.ones((2, 3), np.int32)
        copy(strided(strides), out)
        assert not out.any()
    copy(np.broadcast_to(np.int32(5), (2, 3)), out)
    assert (out == 5).all()
    for apart in (strided((4, 8)), strided((12, 4)), np.zeros((4, 6), np.int32)[::-2, ::2]):
        copy(x, apart)
        assert (apart == x).all()


def test_integers_beyond_64_bits_are_objects():
    x = np.array([2**90, -5], dtype=object)
    out = np.zeros(2, dtype=object)
    assert wide(x, 2**70, out) == 2**71
    assert out.tolist() == [2**90 + 2**70, 2**70 - 5]
    with pytest.raises(ValueError, match="'x' is out of the range of i100"):
        wide(np.array([2**99, 0], dtype=object), 0, out)
    with pytest.raises(TypeError, match="for i100 it takes object"):
        wide(np.zeros(2, np.int64), 0, out)

    @kernel
    def big(x: u128) -> u128:
        return x + 1

    assert big(2**127) == 2**127 + 1
    assert big(2**128 - 1) == 0

    i256 = apint(256, signed=True)

    @kernel
    def bigger(x: i256, y: i256[2]) -> i256:
        y[1] = y[0] - x
        return x + 1

    y = np.array([3, 0], dtype=object)
    assert bigger(5, y) == 6 and y[1] == -2


def test_floats_of_16_bits():
    @kernel
    def half(x: f16[2], out: f16[2]) -> f16:
        for i in range(2):
            out[i] = x[i] * 0.5
        return x[0]

    x, out = np.array([1.5, -3], np.float16), np.zeros(2, np.float16)
    assert half(x, out) == 1.5
    assert out.tolist() == [0.75, -1.5]

    @kernel
    def brain(x: bf16[2], out: bf16[2]) -> bf16[2]:
        for i in range(2):
            out[i] = x[i] + 1.0
        return x

    bits = np.array([0x3F80, 0x4000], np.uint16)  # 1.0 and 2.0
    out = np.zeros(2, np.uint16)
    brain(bits, out)
    assert out.tolist() == [0x4000, 0x4040]
    ml_dtypes = pytest.importorskip("ml_dtypes")
    x, out = np.array([1, 2], ml_dtypes.bfloat16), np.zeros(2, ml_dtypes.bfloat16)
    result = brain(x, out)
    assert out.astype(np.float32).tolist() == [2, 3]
    assert result.dtype == ml_dtypes.bfloat16 and result.tolist() == [1, 2]


def test_formats_of_8_bits_and_of_ones_own():
    @kernel
    def decode(x: f8e4m3[2]) -> f32:
        return x[0]

    assert decode(np.array([0x38, 0], np.uint8)) == 1.0
    ml_dtypes = pytest.importorskip("ml_dtypes")
    assert decode(np.array([1.5, 0], ml_dtypes.float8_e4m3fn)) == 1.5
    custom = apfloat(4, 3)

    @kernel
    def own(x: custom[1]) -> custom:
        return x[0] * 2.0

    assert own(np.array([0x38], np.uint8)) == 2.0


def test_results():
    @kernel
    def several(x: i32) -> (i32, f32, u1):
        return x, 0.5, x > 1

    assert several(2) == (2, 0.5, 1)

    @kernel
    def shaped(x: u8) -> u8[2]:
        out: u8[2] = 7
        out[0] = x
        return out

    result = shaped(3)
    assert result.dtype == np.uint8 and result.tolist() == [3, 7]

    @kernel
    def most() -> u64:
        return 0xFFFFFFFFFFFFFFFF

    assert most() == 2**64 - 1


def test_streams_of_the_top_kernel():
    @kernel
    def double(src: Stream[i32], dst: Stream[i32]):
        for i in range(3):
            dst.put(src.get() * 2)

    out = []
    double([1, 2, 3], out)
    assert out == [2, 4, 6]
    array = np.zeros(4, np.int32)
    double(np.array([4, 5, 6], np.int32), array)
    assert array.tolist() == [8, 10, 12, 0]
    with pytest.raises(ValueError, match="'dst' has room for 2 elements, but 3 came out"):
        double([1, 2, 3], np.zeros(2, np.int32))
    with pytest.raises(RuntimeError, match="src"):
        double([1], [])
    with pytest.raises(ValueError, match="'dst' has elements that share memory"):
        double([1, 2, 3], np.lib.stride_tricks.as_strided(array, (3,), (0,)))


def test_streams_of_blocks():
    @kernel
    def transpose(src: Stream[i32[2, 2]], dst: Stream[i32[2, 2]]):
        for n in range(2):
            block = src.get()
            turned: i32[2, 2]
            for i in range(2):
                for j in range(2):
                    turned[i, j] = block[j, i]
            dst.put(turned)

    blocks = np.arange(8, dtype=np.int32).reshape(2, 2, 2)
    out = []
    transpose(blocks, out)
    assert [block.tolist() for block in out] == blocks.transpose(0, 2, 1).tolist()
    array = np.zeros((2, 2, 2), np.int32)
    transpose(list(blocks), array)
    assert array.tolist() == blocks.transpose(0, 2, 1).tolist()
    with pytest.raises(ValueError, match="'src' has the shape"):
        transpose([np.zeros(4, np.int32)], out)
