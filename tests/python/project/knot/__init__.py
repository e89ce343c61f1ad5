from .inner import value
base = 1
