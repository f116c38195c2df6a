"""What a child process does between its birth and its work, so that it never outlives us."""

import ctypes
import os
import signal
from collections.abc import Callable

_PR_SET_PDEATHSIG = 1
_libc = ctypes.CDLL(None, use_errno=True)


def dying_with(parent: int, number: signal.Signals) -> Callable[[], None]:
    """
    Return what a child of *parent* calls to be sent *number* by the kernel when *parent* ends.

    It is safe between fork and exec.  The kernel looks at the *thread* that made the
    child, so make children from the main thread.
    """

    def prepare() -> None:
        _libc.prctl(_PR_SET_PDEATHSIG, int(number))
        if os.getppid() != parent:
            os._exit(1)

    return prepare
