# numpy at module level, with the values of numpy 2.
import numpy as np
from numpy import int16, zeros

arrays = (np.array([1, 2, 3]).tolist(), np.array([[1, 2], [3, 4]]).shape, np.array([1, 2.5]).dtype.name)  #= ([1, 2, 3], (2, 2), 'float64')
dtypes = (np.array([1, 2], dtype=np.int8).dtype.name, np.zeros(2).dtype.name, np.array([True]).dtype.name, np.arange(3).dtype.name, np.array([2**63]).dtype.name)  #= ('int8', 'float64', 'bool', 'int64', 'uint64')
constructors = (np.zeros((2, 2), dtype=np.int32).tolist(), np.ones(2, dtype=int).tolist(), np.full(3, 7).tolist(), np.eye(2, dtype=np.uint8).tolist(), zeros(1, dtype=int16).tolist())  #= ([[0, 0], [0, 0]], [1, 1], [7, 7, 7], [[1, 0], [0, 1]], [0])
aranges = (np.arange(5).tolist(), np.arange(2, 10, 3).tolist(), np.arange(0, 1, 0.25).tolist(), np.arange(5, 0, -2).tolist(), np.linspace(0, 1, 5).tolist())  #= ([0, 1, 2, 3, 4], [2, 5, 8], [0.0, 0.25, 0.5, 0.75], [5, 3, 1], [0.0, 0.25, 0.5, 0.75, 1.0])
wrapping = (np.array([100, 127], dtype=np.int8) + np.array([100, 1], dtype=np.int8)).tolist()  #= [-56, -128]
promotion = ((np.array([1], dtype=np.int8) + np.array([1], dtype=np.uint8)).dtype.name, (np.array([1], dtype=np.uint8) * 2).dtype.name, (np.array([1], dtype=np.int16) / 2).dtype.name, (np.array([1], dtype=np.float32) * 2.5).dtype.name, (np.array([1], dtype=np.int32) + 0.5).dtype.name)  #= ('int16', 'uint8', 'float64', 'float32', 'float64')
float_promotion = ((np.array([1], dtype=np.float32) + np.array([1], dtype=np.int16)).dtype.name, (np.array([1], dtype=np.float32) + np.array([1], dtype=np.int32)).dtype.name, (np.array([1], dtype=np.float16) + np.array([1], dtype=np.int8)).dtype.name, np.sin(np.array([1], dtype=np.int8)).dtype.name)  #= ('float32', 'float64', 'float16', 'float16')
arithmetic = ((np.arange(4) * 2 + 1).tolist(), (np.arange(1, 4) ** 2).tolist(), (np.array([7, -7]) // 2).tolist(), (np.array([7, -7]) % 3).tolist(), (-np.array([1, 2])).tolist(), (10 - np.arange(3)).tolist())  #= ([1, 3, 5, 7], [1, 4, 9], [3, -4], [1, 2], [-1, -2], [10, 9, 8])
bit_operations = ((np.array([6, 5]) & 3).tolist(), (1 << np.arange(4)).tolist(), (~np.array([0, 1], dtype=np.uint8)).tolist(), (np.array([240], dtype=np.uint8) >> 4).tolist())  #= ([2, 1], [1, 2, 4, 8], [255, 254], [15])
broadcasting = (np.arange(3).reshape(3, 1) * np.arange(3)).tolist()  #= [[0, 0, 0], [0, 1, 2], [0, 2, 4]]
outer = np.outer([1, 2], [3, 4]).tolist()  #= [[3, 4], [6, 8]]
reshaping = (np.arange(6).reshape(2, 3).tolist(), np.arange(6).reshape(-1, 2).T.tolist(), np.arange(4).reshape((2, 2)).flatten().tolist(), np.arange(6).reshape(2, 3).transpose().shape)  #= ([[0, 1, 2], [3, 4, 5]], [[0, 2, 4], [1, 3, 5]], [0, 1, 2, 3], (3, 2))
table = np.arange(12).reshape(3, 4)
indexing = (int(table[1, 2]), table[1].tolist(), table[:, 1].tolist(), table[1:, ::2].tolist(), table[-1, -1].item(), table[[2, 0]].tolist(), table[table > 8].tolist(), table[..., 0].tolist(), table[:, None, 0].shape)  #= (6, [4, 5, 6, 7], [1, 5, 9], [[4, 6], [8, 10]], 11, [[8, 9, 10, 11], [0, 1, 2, 3]], [9, 10, 11], [0, 4, 8], (3, 1))
written = np.zeros((2, 3), dtype=np.int32)
written[0] = [1, 2, 3]
written[1, 1] = 9
written[:, 2] += 5
assignment = written.tolist()  #= [[1, 2, 8], [0, 9, 5]]
base = np.arange(4)
view = base[1:3]
view[0] = 50
views_share = base.tolist()  #= [0, 50, 2, 3]
masked = np.arange(5)
masked[masked % 2 == 0] = -1
mask_assignment = masked.tolist()  #= [-1, 1, -1, 3, -1]
casting = (np.array([1.7, -1.7]).astype(np.int32).tolist(), np.array([300, -1]).astype(np.uint8).tolist(), np.array([0, 2]).astype(bool).tolist(), np.array([0.1]).astype(np.float32).tolist(), np.array([1 / 3]).astype(np.float16).tolist())  #= ([1, -1], [44, 255], [False, True], [0.10000000149011612], [0.333251953125])
rounding = (np.round(np.array([0.5, 1.5, 2.345]), 2).tolist(), np.floor([1.5, -1.5]).tolist(), np.rint([0.5, 1.5]).tolist(), np.round(np.sin(np.arange(4) * np.pi / 2) * 127).astype(np.int8).tolist())  #= ([0.5, 1.5, 2.35], [1.0, -2.0], [0.0, 2.0], [0, 127, 0, -127])
functions = (np.sqrt([4, 9]).tolist(), np.abs([-1, 2]).tolist(), np.clip(np.arange(5), 1, 3).tolist(), np.where(np.arange(4) > 1, 1, -1).tolist(), np.minimum([1, 5], [3, 2]).tolist(), np.maximum(np.arange(3), 1).tolist(), np.sign([-2, 0, 3]).tolist())  #= ([2.0, 3.0], [1, 2], [1, 1, 2, 3, 3], [-1, -1, 1, 1], [1, 2], [1, 1, 2], [-1, 0, 1])
reductions = (int(table.sum()), table.sum(axis=0).tolist(), table.max(axis=1).tolist(), int(table.argmax()), float(table.mean()), int(np.prod([2, 3])), bool((table > 3).any()), bool(np.all(table >= 0)), np.cumsum([1, 2, 3]).tolist())  #= (66, [12, 15, 18, 21], [3, 7, 11], 11, 5.5, 6, True, True, [1, 3, 6])
small_sums = (np.array([100, 100], dtype=np.int8).sum().dtype.name, int(np.array([100, 100], dtype=np.int8).sum()), np.array([1, 2], dtype=np.uint8).sum().dtype.name)  #= ('int64', 200, 'uint64')
pairwise_sum = (float(np.sum(np.full(1000, 0.1))), float(np.sum(np.arange(200) * 0.1)), float(np.full(300, 0.1, dtype=np.float32).sum()), float((np.arange(60).reshape(6, 10) * 0.1).sum(axis=0)[3]))  #= (100.00000000000001, 1990.0, 30.000003814697266, 16.8)
products = (np.dot([1, 2], [3, 4]).item(), (np.arange(4).reshape(2, 2) @ np.array([1, 1])).tolist(), np.matmul(np.eye(2, dtype=int), [[1, 2], [3, 4]]).tolist())  #= (11, [1, 5], [[1, 2], [3, 4]])
joining = (np.concatenate([[1], [2, 3]]).tolist(), np.stack([[1, 2], [3, 4]]).tolist(), np.vstack([[1, 2], [3, 4]]).tolist(), np.hstack([[1], [2]]).tolist(), np.tile([1, 2], 2).tolist(), np.repeat([1, 2], 2).tolist(), np.roll([1, 2, 3], 1).tolist())  #= ([1, 2, 3], [[1, 2], [3, 4]], [[1, 2], [3, 4]], [1, 2], [1, 2, 1, 2], [1, 1, 2, 2], [3, 1, 2])
scalars = (np.int8(100) + np.int8(20), np.float32(0.1), np.int32(7) // 2, int(np.uint8(200)), np.float64(1.5) * 2)  #= (np.int8(120), np.float32(0.1), np.int32(3), 200, np.float64(3.0))
scalars_in_python = (list(range(np.int64(3))), [10, 20, 30][np.int8(1)], {1: "a"}[np.int64(1)], f"{np.float64(2.5):.2f} {np.int16(3)}", 2 ** int(np.int8(5)))  #= ([0, 1, 2], 20, 'a', '2.50 3', 32)
iteration = ([int(v) * 2 for v in np.arange(3)], [row.tolist() for row in np.eye(2)], len(np.zeros((3, 2))), max(np.array([1, 5, 2]).tolist()))  #= ([0, 2, 4], [[1.0, 0.0], [0.0, 1.0]], 3, 5)
windows = (np.round(np.hamming(5), 6).tolist(), np.round(np.hanning(5), 6).tolist(), np.round(np.blackman(4), 6).tolist())  #= ([0.08, 0.54, 1.0, 0.54, 0.08], [0.0, 0.5, 1.0, 0.5, 0.0], [-0.0, 0.63, 0.63, -0.0])
comparison = ((np.arange(3) == 1).tolist(), np.array_equal([1, 2], [1, 2]), bool(np.array([1]) > 0))  #= ([False, True, False], True, True)
python_numbers_are_compared_in_the_type_of_the_floats = (bool(np.float32(0.1) > 0.1), bool(np.float32(3.7) == 3.7), (np.array([16777216], np.float32) == 16777217).tolist(), (np.array([0.1, 0.2], np.float16) < 0.1).tolist(), bool(np.float32(0.1) == np.float64(0.1)), bool(np.int8(1) < 1.5), bool(np.int64(2**53 + 1) == 2.0**53))  #= (False, True, [True], [False, False], False, True, True)
and_so_in_functions = (float(max(np.float32(0.1), 0.1)), min(0.1, np.float32(0.1)), [float(v) for v in np.array([0.1, 0.7], np.float32) if v == 0.7], 0.1 in [np.float32(0.1)], [np.float32(3.7)] == [3.7], (np.float32(0.1), 1) < (0.1, 2))  #= (0.10000000149011612, 0.1, [0.699999988079071], True, True, True)
ranges_of_floats = (np.arange(1, 2, 0.1, dtype=np.float32).tolist()[3:7], np.arange(0, 1, 0.3, dtype=np.float16).tolist(), np.arange(np.float32(1), 1.3, 0.1).tolist(), np.arange(1, 2, 0.3).tolist(), np.arange(2.0, 0, -0.75).tolist(), np.arange(0.5, 0.5).dtype.name)  #= ([1.3000000715255737, 1.4000000953674316, 1.5000001192092896, 1.6000001430511475], [0.0, 0.300048828125, 0.60009765625, 0.900390625], [1.0, 1.100000023841858, 1.2000000476837158], [1.0, 1.3, 1.6, 1.9000000000000001], [2.0, 1.25, 0.5], 'float64')
ranges_of_ints = (np.arange(0.5, 5, 1.5, dtype=int).tolist(), np.arange(0, 2, 0.5, dtype=np.int8).tolist(), np.arange(300, dtype=np.int8).tolist()[126:130], np.arange(2, dtype=bool).tolist(), np.arange(5, 0, -2).tolist(), np.arange(5, 0).tolist(), np.arange(stop=3, start=1).tolist())  #= ([0, 2, 4], [0, 0, 0, 0], [126, 127, -128, -127], [False, True], [5, 3, 1], [], [1, 2])
ints_become_floats_at_once = (np.array([2**60 + 2**36 + 1]).astype(np.float32).tolist(), np.array([2**60 + 2**36 + 1], dtype=np.float32).tolist(), np.float32(np.int64(2**60 + 2**36 + 1)).item())  #= ([1.1529216420458004e+18], [1.152921504606847e+18], 1.1529216420458004e+18)
refused = []
for attempt in (lambda: np.array([300], dtype=np.int8), lambda: np.arange(3).reshape(2, 2), lambda: np.arange(3) + np.arange(2), lambda: np.arange(3)[3], lambda: np.arange(3, dtype=np.uint8) + 300):
    try:
        attempt()
    except (OverflowError, ValueError, IndexError) as e:
        refused.append(type(e).__name__)
errors = refused  #= ['OverflowError', 'ValueError', 'ValueError', 'IndexError', 'OverflowError']
