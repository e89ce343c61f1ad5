"""Types of `allo.operators`."""

from . import arith as arith
from . import linalg as linalg
from . import math as math
from .arith import *
from .arith import abs as abs
from .arith import max as max
from .arith import min as min
from .arith import pow as pow
from ..lang import assume as assume
from ..lang import get_nw as get_nw
from ..lang import get_wid as get_wid
