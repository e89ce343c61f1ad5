"""There is no Vitis backend: programs that ask for its tools learn that they are not there."""


def is_vitis_available() -> bool:
    """False."""
    return False
