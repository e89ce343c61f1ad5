"""The backend of hardware, under the name of the published package."""

from . import RTL, CosimResult

__all__ = ["CosimResult", "RTL"]
