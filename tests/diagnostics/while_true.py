import allo
from allo import *

@kernel
def f(x: i32):
    while True:
        x += 1
