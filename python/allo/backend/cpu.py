"""The backend of the software reference, under the name of the published package."""

from . import CPU

__all__ = ["CPU"]
