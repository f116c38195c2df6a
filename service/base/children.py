"""The set-up of a child process between fork and exec, so that it never outlives its parent."""

import ctypes
import os
import signal
from collections.abc import Callable

_PR_SET_PDEATHSIG = 1
_libc = ctypes.CDLL(None, use_errno=True)


def dying_with(parent: int, number: signal.Signals) -> Callable[[], None]:
    """
    Return a function for a child: it has the kernel send *number* to it when *parent* ends.

    It is safe between fork and exec. The kernel watches the *thread* that made the child, so make
    children from the main thread.
    """

    def prepare() -> None:
        _libc.prctl(_PR_SET_PDEATHSIG, int(number))
        if os.getppid() != parent:
            os._exit(1)

    return prepare
