"""The same as `allo.backend.vitis.utils`."""

from ....backend.vitis.utils import is_vitis_available

__all__ = ["is_vitis_available"]
