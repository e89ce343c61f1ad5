"""The same as `allo.compiler`."""
