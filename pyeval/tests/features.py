# Python at module level. A line that ends in `#= text` binds a name whose repr is the text, here
# and in CPython.
import dataclasses
import enum
import functools
import itertools
import math
import operator
from dataclasses import dataclass, field
from enum import Enum, IntEnum
from functools import reduce

# Numbers
big = 2**200 + 1  #= 1606938044258990275541962092341162602522202993782792835301377
floor_division = (-7 // 2, -7 % 2, 7 / 2, -7.5 // 2, -7.5 % 2)  #= (-4, 1, 3.5, -4.0, 0.5)
power = (2**10, 2**-1, (-2) ** 3, 2**0.5, pow(3, 20, 7))  #= (1024, 0.5, -8, 1.4142135623730951, 2)
bits = (6 & 3, 6 | 3, 6 ^ 3, ~6, 1 << 10, -9 >> 1)  #= (2, 7, 5, -7, 1024, -5)
bases = (0xFF, 0b101, 0o17, 1_000, int("ff", 16), int("0b11", 0))  #= (255, 5, 15, 1000, 255, 3)
floats = (1e16, 1e-5, 0.1 + 0.2, 1e300 * 1e10, -0.0, 5e-324)  #= (1e+16, 1e-05, 0.30000000000000004, inf, -0.0, 5e-324)
conversions = (int(-3.9), float("1.5e3"), int(" 42 "), bool([]), str(1.0), float(3))  #= (-3, 1500.0, 42, False, '1.0', 3.0)
rounding = (round(2.5), round(3.5), round(2.675, 2), round(1234, -2), round(-0.5))  #= (2, 4, 2.67, 1200, 0)
divmods = (divmod(17, 5), divmod(-17, 5), divmod(7.5, 2))  #= ((3, 2), (-4, 3), (3.0, 1.5))
absolute = (abs(-3), abs(-2.5), min(3, 1, 2), max([4, 9, 2]), min("b", "a"))  #= (3, 2.5, 1, 9, 'a')
chained = 1 < 2 < 3 != 4 >= 4  #= True
int_methods = ((255).bit_length(), (0.75).as_integer_ratio(), (4.0).is_integer())  #= (8, (3, 4), True)
radix_text = (bin(10), oct(64), hex(-255), chr(65), ord("a"))  #= ('0b1010', '0o100', '-0xff', 'A', 97)
bool_arithmetic = (True + True, True & False, not 3, False == 0)  #= (2, False, False, True)
float_floor_division = (1e16 // 3, -1 // -2.25, -0.0 // -10, -1e-300 // 1.0, 1e-7 // -3, divmod(-7.5, -2), 6.0 % -3)  #= (3333333333333333.0, 0.0, 0.0, -1.0, -1.0, (3.0, -1.5), -0.0)

# Strings
bool_formats = (format(True, "_"), f"{False:>4}", f"{True:b}", "{:<3}|".format(True))  #= ('1', '   0', '1', '1  |')
concatenation = "ab" + "cd" * 2  #= 'abcdcd'
slices_of_text = ("hello"[1], "hello"[-1], "hello"[1:4], "hello"[::-1])  #= ('e', 'o', 'ell', 'olleh')
case = ("aBc".upper(), "aBc".lower(), "abc def".title(), "abc".capitalize())  #= ('ABC', 'abc', 'Abc Def', 'Abc')
splitting = ("a,b,c".split(","), " x  y ".split(), "a-b-c".rsplit("-", 1))  #= (['a', 'b', 'c'], ['x', 'y'], ['a-b', 'c'])
joining = "-".join(str(i) for i in range(4))  #= '0-1-2-3'
searching = ("banana".find("na"), "banana".count("a"), "banana".replace("a", "o", 2), "na" in "banana")  #= (2, 3, 'bonona', True)
stripping = ("  x ".strip(), "xxaxx".lstrip("x"), "file.py".removesuffix(".py"))  #= ('x', 'axx', 'file')
padding = ("7".zfill(3), "a".ljust(3, "."), "a".rjust(3), "a".center(4, "*"))  #= ('007', 'a..', '  a', '*a**')
predicates = ("12".isdigit(), "ab".isalpha(), "a1".isalnum(), "ABC".isupper(), "abc".startswith(("x", "a")))  #= (True, True, True, True, True)
f_strings = f"{3.14159:.2f}|{42:>6d}|{255:#x}|{'x':^5}|{1e6:,.0f}|{0.5:%}|{5:+}"  #= '3.14|    42|0xff|  x  |1,000,000|50.000000%|+5'
f_string_nested = f"{1234.5:{10}.{2}f}|{'a'!r}|{1 + 1 = }"  #= "   1234.50|'a'|1 + 1 = 2"
format_codes = f"{255:08b}|{255:_b}|{-5:05d}|{1234567:,}|{0.00001234:g}|{1e20:g}|{3.0:.3}|{65:c}"  #= '11111111|1111_1111|-0005|1,234,567|1.234e-05|1e+20|3.0|A'
format_method = "{} {1} {0!r}".format("a", "b") if False else "{0} {1} {x:>3}".format("a", "b", x=7)  #= 'a b   7'
percent_format = "%d %5.2f %s %x %%" % (3, 2.5, "x", 255)  #= '3  2.50 x ff %'
text_repr = ["it's", 'say "x"', "a\nb", "\\"]  #= ["it's", 'say "x"', 'a\nb', '\\']
partitions = ("a=b=c".partition("="), "a=b=c".rpartition("="))  #= (('a', '=', 'b=c'), ('a=b', '=', 'c'))

# Lists, tuples
grown = [1, 2]
alias = grown
alias.append(3)
alias += [4]
aliasing = grown  #= [1, 2, 3, 4]
list_methods = [5, 3, 9]
list_methods.insert(1, 7)
list_methods.extend((1, 2))
popped = list_methods.pop(0)
list_methods.remove(9)
list_methods.sort(reverse=True)
list_results = (list_methods, popped, list_methods.index(3), list_methods.count(1))  #= ([7, 3, 2, 1], 5, 1, 1)
sliced = list(range(10))
sliced[2:5] = ["x"]
sliced[::3] = [0, 0, 0]
del sliced[1]
slice_assignment = sliced  #= [0, 'x', 0, 6, 7, 0, 9]
nested = [[0] * 3 for _ in range(2)]
nested[1][2] = 5
nested_lists = nested  #= [[0, 0, 0], [0, 0, 5]]
shared = [[0]] * 2
shared[0].append(1)
shared_rows = shared  #= [[0, 1], [0, 1]]
unpacking = (lambda a, *b, c: (a, b, c))(*[1, 2, 3], c=4)  #= (1, (2, 3), 4)
first, *middle, last = range(5)
starred = (first, middle, last)  #= (0, [1, 2, 3], 4)
(p, q), r = (1, 2), 3
nested_targets = [p, q, r]  #= [1, 2, 3]
p, q = q, p
swapped = (p, q)  #= (2, 1)
spread = [*range(3), *"ab", *(9,)]  #= [0, 1, 2, 'a', 'b', 9]
comparisons = ([1, 2] < [1, 3], (1, 2) == (1, 2), [1] == [1.0], (1,) < (1, 0))  #= (True, True, True, True)
tuple_operations = ((1, 2) + (3,), (0,) * 3, 2 in (1, 2), (5, 6, 7)[1:])  #= ((1, 2, 3), (0, 0, 0), True, (6, 7))

# Dicts, sets
config = {"width": 8, "depth": 16}
config["extra"] = config.get("none", 3)
config.update(depth=32)
removed = config.pop("width")
dicts = (config, removed, "depth" in config, len(config))  #= ({'depth': 32, 'extra': 3}, 8, True, 2)
dict_walk = [(k, v) for k, v in sorted({"b": 1, "a": 2}.items())]  #= [('a', 2), ('b', 1)]
dict_comprehension = {n: n * n for n in range(4) if n % 2}  #= {1: 1, 3: 9}
merged = {**{"a": 1}, "b": 2} | {"a": 3}  #= {'a': 3, 'b': 2}
made_dicts = (dict([("x", 1)], y=2), dict.fromkeys("ab", 0), dict(zip("cd", (3, 4))))  #= ({'x': 1, 'y': 2}, {'a': 0, 'b': 0}, {'c': 3, 'd': 4})
grouped = {}
for word in "one three five nine two".split():
    grouped.setdefault(len(word), []).append(word)
groups = grouped  #= {3: ['one', 'two'], 5: ['three'], 4: ['five', 'nine']}
equal_keys = {1: "int", 1.0: "float", True: "bool"}  #= {1: 'bool'}
deleted = {"a": 1, "b": 2}
del deleted["a"]
after_delete = deleted  #= {'b': 2}
sets = (sorted({3, 1, 2} | {5}), sorted({1, 2} & {2, 3}), sorted({1, 2} - {2}), sorted({1, 2} ^ {2, 3}))  #= ([1, 2, 3, 5], [2], [1], [1, 3])
subsets = ({1} <= {1, 2}, {1, 2} == {2, 1}, {1}.issubset([1, 2]), {1}.isdisjoint({2}))  #= (True, True, True, True)
set_comprehension = sorted({x % 3 for x in range(10)})  #= [0, 1, 2]

# Control flow
collatz = 27
steps = 0
while collatz != 1:
    collatz = collatz // 2 if collatz % 2 == 0 else 3 * collatz + 1
    steps += 1
else:
    steps += 1000
loop_else = steps  #= 1111
primes = []
for n in range(2, 30):
    for d in primes:
        if n % d == 0:
            break
    else:
        primes.append(n)
for_else = primes  #= [2, 3, 5, 7, 11, 13, 17, 19, 23, 29]
skipped = []
for n in range(6):
    if n % 2:
        continue
    skipped.append(n)
continued = skipped  #= [0, 2, 4]
walrus = [y for x in range(5) if (y := x * x) > 3]  #= [4, 9, 16]
conditional = ["neg" if v < 0 else "zero" if v == 0 else "pos" for v in (-1, 0, 1)]  #= ['neg', 'zero', 'pos']


def describe(value):
    match value:
        case 0:
            return "zero"
        case int(n) if n < 0:
            return f"negative {n}"
        case 1 | 2 | 3:
            return "small"
        case [a, b]:
            return f"pair {a} {b}"
        case [a, *rest]:
            return f"list {a} {len(rest)}"
        case {"kind": kind, **others}:
            return f"{kind} {others}"
        case str() as text:
            return text.upper()
        case _:
            return "other"


matching = [describe(v) for v in (0, -4, 2, (1, 2), [1, 2, 3], {"kind": "k", "x": 1}, "abc", None)]  #= ['zero', 'negative -4', 'small', 'pair 1 2', 'list 1 2', "k {'x': 1}", 'ABC', 'other']


# Functions
def parameters(a, b=2, *args, c, d=4, **kwargs):
    return (a, b, args, c, d, kwargs)


calls = parameters(1, 5, 6, 7, c=8, e=9)  #= (1, 5, (6, 7), 8, 4, {'e': 9})
spread_call = parameters(*(1, 2), **{"c": 3})  #= (1, 2, (), 3, 4, {})


def positional_only(x, /, y):
    return x - y


positional = positional_only(5, y=3)  #= 2


def counter():
    count = 0

    def increment(by=1):
        nonlocal count
        count += by
        return count

    return increment


tick = counter()
tick()
tick(5)
closures = tick()  #= 7
total = 0


def add_to_total(n):
    global total
    total += n
    return total


add_to_total(3)
globals_changed = add_to_total(4)  #= 7
late_binding = [f() for f in [lambda: i for i in range(3)]]  #= [2, 2, 2]
early_binding = [f() for f in [lambda i=i: i for i in range(3)]]  #= [0, 1, 2]


def accumulate_default(item, into=[]):
    into.append(item)
    return into


accumulate_default(1)
default_shared = accumulate_default(2)  #= [1, 2]


def fibonacci(n):
    return n if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)


recursion = fibonacci(12)  #= 144


def twice(f):
    def wrapper(*args):
        return f(f(*args))

    return wrapper


@twice
def plus_three(x):
    return x + 3


decorated = plus_three(1)  #= 7
higher_order = (list(map(lambda x, y: x * y, [1, 2], [3, 4])), list(filter(None, [0, 1, "", 2])), reduce(operator.add, [1, 2, 3], 10))  #= ([3, 8], [1, 2], 16)
sorting = sorted(["bb", "a", "ccc"], key=len, reverse=True)  #= ['ccc', 'bb', 'a']
stable_sort = sorted([(1, "b"), (0, "x"), (1, "a")], key=lambda t: t[0])  #= [(0, 'x'), (1, 'b'), (1, 'a')]
sequences = (list(zip("ab", range(5))), list(enumerate("ab", 1)), list(reversed([1, 2, 3])), sum([1, 2, 3], 10), any([0, 1]), all([]))  #= ([('a', 0), ('b', 1)], [(1, 'a'), (2, 'b')], [3, 2, 1], 16, True, True)
extrema = (max("apple", "fig", key=len), min([], default=-1), max((1, "b"), (1, "a")))  #= ('apple', -1, (1, 'b'))
partial_call = functools.partial(parameters, 0, c=1)(9, d=2)  #= (0, 9, (), 1, 2, {})
ranges = (list(range(5, 0, -2)), len(range(0, 10, 3)), range(10)[2:5], 4 in range(0, 10, 2), range(3))  #= ([5, 3, 1], 4, range(2, 5), True, range(0, 3))


# Generators
def countdown(n):
    while n > 0:
        if n == 2:
            yield "two"
        else:
            yield n
        n -= 1
    yield from ("end",)


generators = list(countdown(4))  #= [4, 3, 'two', 1, 'end']


def naturals():
    n = 0
    while True:
        yield n
        n += 1


lazy = list(itertools.islice((n * n for n in naturals() if n % 2), 4))  #= [1, 9, 25, 49]
stream = iter([1, 2, 3])
iterators = (next(stream), list(stream), next(stream, "done"))  #= (1, [2, 3], 'done')
factor = 1
scaled = (x * factor for x in [1, 2])
factor = 10
generator_reads_late = list(scaled)  #= [10, 20]
combinatorics = (list(itertools.product([0, 1], "ab")), list(itertools.combinations(range(3), 2)), len(list(itertools.permutations(range(4)))), list(itertools.chain([1], [2, 3])), list(itertools.accumulate([1, 2, 3])))  #= ([(0, 'a'), (0, 'b'), (1, 'a'), (1, 'b')], [(0, 1), (0, 2), (1, 2)], 24, [1, 2, 3], [1, 3, 6])
nested_comprehension = [(x, y) for x in range(3) for y in range(x) if x + y > 1]  #= [(2, 0), (2, 1)]


# Classes
class Point:
    origin = (0, 0)

    def __init__(self, x, y=0):
        self.x, self.y = x, y

    def __add__(self, other):
        return Point(self.x + other.x, self.y + other.y)

    def __rmul__(self, k):
        return Point(k * self.x, k * self.y)

    def __eq__(self, other):
        return self.x == other.x and self.y == other.y

    def __repr__(self):
        return f"Point({self.x}, {self.y})"

    def __len__(self):
        return 2

    def __getitem__(self, i):
        return (self.x, self.y)[i]

    def __call__(self, scale):
        return self.x * scale

    @property
    def norm(self):
        return math.hypot(self.x, self.y)

    @staticmethod
    def unit():
        return Point(1)

    @classmethod
    def both(cls, v):
        return cls(v, v)


objects = (Point(1, 2) + Point.unit(), 3 * Point(1, 1), Point.both(2) == Point(2, 2), len(Point(0)), Point(4, 5)[1], Point(7)(2), Point(3, 4).norm, Point.origin)  #= (Point(2, 2), Point(3, 3), True, 2, 5, 14, 5.0, (0, 0))


class Base:
    width = 8

    def __init__(self, depth):
        self.depth = depth

    def size(self):
        return self.width * self.depth


class Wide(Base):
    width = 32

    def __init__(self, depth):
        super().__init__(depth * 2)

    def size(self):
        return super().size() + 1


inheritance = (Base(4).size(), Wide(4).size(), isinstance(Wide(1), Base), issubclass(Wide, Base), Wide.__name__)  #= (32, 257, True, True, 'Wide')


@dataclass(frozen=True)
class Shape:
    rows: int
    cols: int = 4
    tags: list = field(default_factory=list)

    def area(self):
        return self.rows * self.cols


dataclass_use = (Shape(2), Shape(3, cols=5).area(), Shape(1) == Shape(1), dataclasses.replace(Shape(2), rows=9).rows)  #= (Shape(rows=2, cols=4, tags=[]), 15, True, 9)


class State(IntEnum):
    IDLE = 0
    RUN = 1
    DONE = 2


class Mode(Enum):
    FAST = "fast"
    SLOW = enum.auto() if False else "slow"


enums = (State.RUN + 1, State(2).name, [s.value for s in State], Mode.FAST.value, Mode["SLOW"].name, Mode.FAST is Mode.FAST, len(State))  #= (2, 'DONE', [0, 1, 2], 'fast', 'SLOW', True, 3)


class Squares:
    def __init__(self, n):
        self.n = n

    def __iter__(self):
        for i in range(self.n):
            yield i * i

    def __contains__(self, v):
        return v in list(iter(self))


iteration_protocol = (list(Squares(4)), 9 in Squares(4), sum(Squares(3)))  #= ([0, 1, 4, 9], True, 5)


class Namespace:
    pass


Namespace.depth = 16
namespace = (Namespace.depth, hasattr(Namespace, "x"), getattr(Namespace, "y", "none"))  #= (16, False, 'none')


# Exceptions
def attempt(f):
    try:
        return f()
    except ZeroDivisionError as e:
        return f"zero: {e}"
    except (KeyError, IndexError) as e:
        return type(e).__name__
    except Exception as e:
        return "other " + type(e).__name__
    finally:
        log.append("f")


log = []
exceptions = [attempt(lambda: 1 / 0), attempt(lambda: {}["k"]), attempt(lambda: [][0]), attempt(lambda: int("x")), attempt(lambda: 1 + "a"), attempt(lambda: None.x if False else 5), list(log)]  #= ['zero: division by zero', 'KeyError', 'IndexError', 'other ValueError', 'other TypeError', 5, ['f', 'f', 'f', 'f', 'f', 'f']]


class TooBig(ValueError):
    pass


def check(n):
    if n > 9:
        raise TooBig(f"{n} is too big")
    return n


def safe(n):
    try:
        result = check(n)
    except ValueError as e:
        return (str(e), isinstance(e, TooBig))
    else:
        return result * 10


custom_exceptions = (safe(5), safe(50))  #= (50, ('50 is too big', True))
try:
    try:
        raise KeyError("inner")
    except KeyError:
        raise
except LookupError as e:
    caught = repr(e)
reraised = caught  #= "KeyError('inner')"
try:
    assert 1 == 2, "unequal"
except AssertionError as e:
    asserted = str(e)
assertion = asserted  #= 'unequal'
try:
    import no_such_module_anywhere
except ImportError:
    no_such_module_anywhere = None
guarded_import = no_such_module_anywhere is None  #= True


class Guard:
    def __enter__(self):
        log.append("in")
        return self

    def __exit__(self, kind, value, trace):
        log.append("out")
        return kind is not None


with Guard():
    raise ValueError("swallowed")
context_managers = log[-2:]  #= ['in', 'out']

# math
roots = (math.sqrt(2), math.isqrt(99), math.gcd(12, 18), math.lcm(4, 6), math.comb(5, 2), math.factorial(10), math.prod([2, 3, 4]))  #= (1.4142135623730951, 9, 6, 12, 10, 3628800, 24)
whole_numbers = (math.floor(-1.5), math.ceil(1.2), math.trunc(-1.7), math.log2(8), math.log(8, 2), math.log10(1000))  #= (-2, 2, -1, 3.0, 3.0, 3.0)
exact_sum = (math.fsum([0.1] * 10), math.copysign(1, -0.0), math.fmod(-7, 3), math.isclose(0.1 + 0.2, 0.3), math.isnan(math.nan), math.ldexp(0.75, 3), math.frexp(6.0))  #= (1.0, -1.0, -1.0, True, True, 6.0, (0.75, 3))
constants = (math.pi, math.e, math.inf)  #= (3.141592653589793, 2.718281828459045, inf)

# Types
types = (type(1) is int, type("") == str, isinstance(True, int), isinstance([], (tuple, list)), type(1.5).__name__, callable(len))  #= (True, True, True, True, 'float', True)
identity = (None is None, [] is [], 1 == True, "a" is not None)  #= (True, False, True, True)
annotated: int = 5
annotations = annotated  #= 5
a = b = [0]
b.append(1)
chained_assignment = a  #= [0, 1]
if __name__ == "__main__":
    main_guard_runs = True


# Errors of numbers
def error_of(action):
    try:
        return action()
    except Exception as error:
        return type(error).__name__


no_int = (error_of(lambda: int(float("nan"))), error_of(lambda: int(float("inf"))))  #= ('ValueError', 'OverflowError')
no_format = (error_of(lambda: format(float("inf"), "d")), error_of(lambda: format(10**400, "e")))  #= ('ValueError', 'OverflowError')
too_large_result = (error_of(lambda: 2.0**10000), error_of(lambda: 10**400 / 3), error_of(lambda: (-10.0) ** 401), error_of(lambda: (10**400) ** -1), 2.0**-10000, 1e308 * 10)  #= ('OverflowError', 'OverflowError', 'OverflowError', 'OverflowError', 0.0, inf)
too_large = (error_of(lambda: 10**400 * 1.0), error_of(lambda: divmod(0.5, 10**400)), error_of(lambda: "%x" % 1.5))  #= ('OverflowError', 'OverflowError', 'TypeError')

# Between two shortest texts
halfway = (92.142852783203125, [-4398046511104.03125, 2.0**-44, 1e23, 0.00012345, 123456789012345.6])  #= (92.14285278320312, [-4398046511104.031, 5.684341886080802e-14, 1e+23, 0.00012345, 123456789012345.6])


# Functions that keep their results
@functools.cache
def binomial(n, k):
    return 1 if k in (0, n) else binomial(n - 1, k - 1) + binomial(n - 1, k)


kept = binomial(30, 15)  #= 155117520
runs = []


@functools.lru_cache(maxsize=8)
def noted(x, *, by=1):
    runs.append((x, by))
    return [x * by]


@functools.lru_cache(typed=True)
def of_type(*args):
    return [type(arg).__name__ for arg in args]


class Scaled:
    by = 3

    @functools.lru_cache
    def times(self, x):
        runs.append(x)
        return self.by * x


scaled = Scaled()
kept_by_arguments = (noted(2) is noted(2), noted(2) is noted(2.0), noted(1) is noted(True), noted(2.0) is noted(2.0), noted(2, by=1) is noted(2), noted(2, by=1) is noted(2, by=True), scaled.times(5) + scaled.times(5), Scaled().times(5), runs)  #= (True, False, False, True, False, True, 30, 15, [(2, 1), (2.0, 1), (1, 1), (True, 1), (2, 1), 5, 5])
kept_by_type = (of_type(1, 2), of_type(1.0, True), of_type(1, 2) is of_type(1, 2))  #= (['int', 'int'], ['float', 'bool'], True)
kept_without_hash = error_of(lambda: noted([1]))  #= 'TypeError'
