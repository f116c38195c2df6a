"""Memory that a process gives back to the system."""

import ctypes
from typing import Final

_LARGE_BYTES: Final = 4 * 1024 * 1024
_MMAP_THRESHOLD: Final = -3
"""``M_MMAP_THRESHOLD`` of glibc's ``mallopt``."""

_libc = ctypes.CDLL(None)


def give_back_large() -> None:
    """
    Give large blocks back to the system as soon as they are free.

    To hash a password takes a block of many megabytes. glibc would keep the space of the second one
    and of all later ones for the process. Other allocators have no such setting.
    """
    if hasattr(_libc, "mallopt"):
        _libc.mallopt(_MMAP_THRESHOLD, _LARGE_BYTES)
