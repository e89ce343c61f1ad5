from .core import add_one
from shop.core import TWO
from . import core
import shop.core

THREE = shop.core.TWO + core.ONE
from .late import SIX
