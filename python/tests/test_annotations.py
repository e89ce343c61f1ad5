"""Annotations as objects: this file does not have them postponed."""

import numpy as np

from allo import Template, i32, kernel, u8


def test_annotations_are_what_python_made_of_them():
    n, T = 2, u8
    SHAPE = (2, 3)

    def array(size):
        return i32[size]

    @kernel
    def f(x: T) -> T:
        return x + 1

    @kernel
    def g(x: i32[n], y: array(3), z: i32[SHAPE]) -> (i32, i32):
        return x[1] + z[1, 2], y[2]

    n, T, SHAPE = 4, i32, ()
    assert f(255) == 0
    assert g(np.arange(2, dtype=np.int32), np.arange(3, dtype=np.int32), np.ones((2, 3), np.int32)) == (2, 2)
    assert g.parse_argument_annotations() == [i32[2], i32[3], i32[2, 3]]
    assert g.parse_return_annotation() == [i32, i32]


def test_a_template_is_known_by_its_name_where_the_variable_has_another():
    T = Template("T")

    @kernel(T)
    def same(x: T) -> T:
        y: T = x
        return y

    T = Template("T")
    assert same[u8](200) == 200
    assert same[u8].template_bindings == {"T": u8}
