from allo import *


@kernel(options={"typing_style": "cpp"})
def f(x: i32):
    pass
