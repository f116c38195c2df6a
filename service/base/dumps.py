"""Keeping the memory of a process from disks and debuggers: it holds keys, cards and seeds."""

import ctypes
import resource
from typing import Final

_PR_SET_DUMPABLE: Final = 4
_libc = ctypes.CDLL(None, use_errno=True)


def forbid_dumps() -> None:
    """
    Let no crash write the memory of this process to a disk, and no program of its user read it.

    The limit holds for files. A service that collects dumps gets none of a process that cannot be
    dumped. Both also hold for forks, and the limit for every child. Root can still attach.
    """
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if _libc.prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "prctl failed")
