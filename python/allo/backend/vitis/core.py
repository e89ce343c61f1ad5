"""There is no Vitis backend: programs that ask for its tools learn that they are not there."""

from .utils import is_vitis_available

__all__ = ["is_vitis_available"]
