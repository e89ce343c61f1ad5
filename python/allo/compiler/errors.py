"""Errors under the names of the published package."""

from ..errors import CompileError

CompilationError = CompileError

__all__ = ["CompilationError"]
