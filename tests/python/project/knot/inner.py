from knot import base

value = base + 1
