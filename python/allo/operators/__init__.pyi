"""Types of `allo.operators`."""

from . import arith as arith
from . import linalg as linalg
from . import math as math
from .arith import abs as abs
from .arith import max as max
from .arith import min as min
