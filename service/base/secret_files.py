"""Files that only their owner may read, and that a machine which dies does not lose or halve."""

import os
from pathlib import Path


def write_secret(file: Path, content: str | bytes) -> None:
    """
    Write a file with mode 0600: whole and on the disk when this returns, or not at all.

    A key that is lost while the database keeps what it sealed opens nothing any more.
    """
    draft = file.with_name(f".{file.name}.new")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "wb") as opened:
        os.fchmod(descriptor, 0o600)  # of a draft that was there already
        opened.write(content.encode() if isinstance(content, str) else content)
        opened.flush()
        os.fsync(descriptor)
    draft.replace(file)
    sync_folder(file.parent)


def sync_folder(folder: Path) -> None:
    """Bring the names in *folder* to the disk."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
