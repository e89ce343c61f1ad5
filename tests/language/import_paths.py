# Modules of allo that are called like what they define.
import allo.exp.lang.kernel
import allo.lang.template as files
from allo.lang.kernel import kernel
from allo.exp.lang.i32 import i32 as number
from allo.lang.core import u8


@kernel
def twice(x: number) -> number:
    return x + x


@allo.lang.kernel
def thrice(x: u8) -> u8:
    return x + x + x


#: twice {"x": 21} -> {"return": 42}
#: thrice {"x": 5} -> {"return": 15}
