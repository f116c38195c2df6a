"""
Files and folders that appear under their name only when they are complete.

A draft has a name of its own, and its writer holds a lock on it. So two
writers for one target never mix their parts. The next writer removes drafts whose writers were
killed.
"""

import fcntl
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from service.base.secret_files import sync_folder

_END = ".part"


@contextmanager
def new_folder(target: Path) -> Iterator[Path]:
    """
    Yield a draft with mode 0700, which becomes the folder *target* at the end of the block.

    Raises:
      FileExistsError: If *target* exists, now or at the end.
    """
    with _draft(target, folder=True) as draft:
        yield draft
        for file in draft.iterdir():
            _sync(file)
        sync_folder(draft)
        try:
            draft.rename(target)
        except OSError:
            _demand_free(target)  # a folder does not replace one that is not empty
            raise


@contextmanager
def new_file(target: Path, *, replace: bool = False) -> Iterator[Path]:
    """
    Yield a draft with mode 0600, which becomes the file *target* at the end of the block.

    Args:
      replace: True to replace an existing *target*.

    Raises:
      FileExistsError: If *target* exists, now or at the end, and may not be replaced.
    """
    with _draft(target, folder=False, replace=replace) as draft:
        yield draft
        _sync(draft)
        if not replace:
            _demand_free(target)
        draft.replace(target)


@contextmanager
def _draft(target: Path, *, folder: bool, replace: bool = False) -> Iterator[Path]:
    if not replace:
        _demand_free(target)
    target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    _remove_abandoned(target)
    draft, lock = _made(target, folder=folder)
    try:
        yield draft
        sync_folder(target.parent)
    finally:
        _remove(draft)
        os.close(lock)


def _made(target: Path, *, folder: bool) -> tuple[Path, int]:
    """Return a new draft and the lock on it."""
    while True:
        begins, beside = f"{target.name}.", target.parent
        if folder:
            draft = Path(tempfile.mkdtemp(_END, begins, beside))
        else:
            number, made = tempfile.mkstemp(_END, begins, beside)
            os.close(number)
            draft = Path(made)
        lock = _lock(draft)
        if lock is not None:
            return draft, lock
        # Another writer took it for abandoned before it was locked.


def _remove_abandoned(target: Path) -> None:
    """Remove the drafts of *target* whose writers are gone."""
    for draft in target.parent.glob(f"{_literal(target.name)}.*{_END}"):
        lock = _lock(draft)
        if lock is not None:
            _remove(draft)
            os.close(lock)


def _lock(draft: Path) -> int | None:
    """Lock a draft, or return None if somebody else holds the lock or the draft is gone."""
    try:
        number = os.open(draft, os.O_RDONLY)
    except FileNotFoundError:
        return None
    try:
        fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if os.fstat(number).st_ino == draft.stat().st_ino:
            return number
    except (BlockingIOError, FileNotFoundError):
        pass
    os.close(number)
    return None


def _literal(name: str) -> str:
    """
    Return *name* as a pattern that matches nothing else.

    >>> _literal("night[1]")
    'night[[]1]'
    """
    return "".join(f"[{each}]" if each in "*?[" else each for each in name)


def _remove(draft: Path) -> None:
    if draft.is_dir():
        shutil.rmtree(draft, ignore_errors=True)
    else:
        draft.unlink(missing_ok=True)


def _sync(file: Path) -> None:
    with file.open("rb") as opened:
        os.fsync(opened.fileno())


def _demand_free(target: Path) -> None:
    if target.exists():
        raise FileExistsError(f"{target} exists already")
