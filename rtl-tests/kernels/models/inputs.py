"""What the models share: cases with inputs by a fixed seed, printed as JSON.

A case is a kernel of a file, arguments, and what the model says that the arguments hold afterwards. Models are plain
Python on lists, in double precision; every input is exact in every format that a kernel uses.
"""

import copy
import json
import random

CASES = []


def case(file, top, tolerance=0.0):
    """Registers a model: a function from a source of random inputs to (arguments, results by name).

    The model changes no argument; a result of the kernel itself is named "result". `tolerance` is relative to the
    largest magnitude in a result, and 0 means equality.
    """

    def register(model):
        args, want = model(Inputs(f"{file} {top}"))
        CASES.append({"file": file, "top": top, "tolerance": tolerance, "args": args, "want": want})
        return model

    return register


class Inputs:
    """Random inputs, the same in each run."""

    def __init__(self, seed):
        self.random = random.Random(seed)

    def real(self, low=-2.0, high=2.0):
        """A multiple of 1/64."""
        return self.random.randint(int(low * 64), int(high * 64)) / 64

    def integer(self, low=-50, high=50):
        return self.random.randint(low, high)

    def reals(self, *shape, low=-2.0, high=2.0):
        return self.filled(lambda: self.real(low, high), shape)

    def integers(self, *shape, low=-50, high=50):
        return self.filled(lambda: self.integer(low, high), shape)

    def filled(self, make, shape):
        if not shape:
            return make()
        return [self.filled(make, shape[1:]) for _ in range(shape[0])]

    def dominant(self, n):
        """A symmetric matrix with a dominant diagonal: positive definite, and stable without pivoting."""
        a = self.reals(n, n, low=-1.0, high=1.0)
        for i in range(n):
            for j in range(i):
                a[i][j] = a[j][i]
            a[i][i] = float(n + i)
        return a


def zeros(*shape):
    if not shape:
        return 0
    return [zeros(*shape[1:]) for _ in range(shape[0])]


def transposed(a):
    return [list(column) for column in zip(*a)]


def dot(x, y):
    return sum(a * b for a, b in zip(x, y))


def matmul(a, b):
    columns = transposed(b)
    return [[dot(row, column) for column in columns] for row in a]


def matvec(a, x):
    return [dot(row, x) for row in a]


copied = copy.deepcopy


def main():
    print(json.dumps(CASES))
