"""Types of `allo`."""

from . import errors as errors
from . import lang as lang
from . import operators as operators
from . import pto as pto
from .errors import CompileError as CompileError
from .errors import CompileNote as CompileNote
from .errors import CompileWarning as CompileWarning
from .errors import Diagnostic as Diagnostic
from .errors import RunError as RunError
from .errors import ScheduleError as ScheduleError
from .lang import *
from .lang import Stateful as Stateful
from .lang import range as range
from .operators import abs as abs
from .operators import arith as arith
from .operators import linalg as linalg
from .operators import math as math
from .operators import max as max
from .operators import min as min
from .operators.arith import *
from .operators.linalg import *
from .operators.math import *

__version__: str
