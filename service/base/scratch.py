"""
Folders for a while in the machine's place for temporary files.

A process that is killed cannot remove its folder. The next one does: it holds a lock in each of its
own folders for as long as it runs, so a folder with its mark and without a lock is nobody's.
"""

import fcntl
import os
import shutil
from pathlib import Path
from tempfile import gettempdir, mkdtemp
from typing import Final

_MARK: Final = "in-use"


class Scratch:
    """
    A new folder. It removes those that killed processes have left, as it begins.

    Args:
      prefix: The first part of the name. Folders with another prefix stay.
    """

    def __init__(self, prefix: str) -> None:
        _remove_abandoned(prefix)
        self.folder = Path(mkdtemp(prefix=prefix))
        draft = self.folder / f"{_MARK}.new"
        self._lock = os.open(draft, os.O_CREAT | os.O_RDWR, 0o600)
        fcntl.flock(self._lock, fcntl.LOCK_EX)
        draft.rename(self.folder / _MARK)  # the mark is never there without the lock

    def keep(self) -> None:
        """Leave the folder to its reader: nobody removes it any more."""
        (self.folder / _MARK).unlink(missing_ok=True)

    def close(self) -> None:
        """Mark the folder as abandoned, because the process has ended its work."""
        os.close(self._lock)


def _remove_abandoned(prefix: str) -> None:
    for name in os.listdir(gettempdir()):
        if name.startswith(prefix):
            folder = Path(gettempdir()) / name
            if _is_abandoned(folder):
                shutil.rmtree(folder, ignore_errors=True)


def _is_abandoned(folder: Path) -> bool:
    """
    Return whether a folder belongs to this user and to a process that is gone.

    Everybody may write into the place for temporary files, so links are not followed.
    """
    try:
        opened = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    except OSError:
        return False
    try:
        if os.fstat(opened).st_uid != os.geteuid():
            return False
        mark = os.open(_MARK, os.O_RDWR | os.O_NOFOLLOW, dir_fd=opened)
    except OSError:  # a folder without the mark is to be kept, or belongs to another program
        return False
    finally:
        os.close(opened)
    try:
        fcntl.flock(mark, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    finally:
        os.close(mark)
    return True
