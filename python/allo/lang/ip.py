"""Operators of the user's, under the name of the published package."""

from .kernel import operator_ip

__all__ = ["operator_ip"]
