"""Files that only their owner may read. A crash of the machine neither loses nor halves them."""

import os
from pathlib import Path
from typing import Final

PUT_BACK: Final = "put it back, from a backup or your own copy"


class SecretDamaged(Exception):
    """A secret's file holds no secret. The text names the file, and never its content."""


def read_secret(file: Path) -> str:
    """
    Return the secret in *file*.

    Raises:
      SecretDamaged: If the file is empty, or holds bytes that are no letters of ASCII.
    """
    try:
        secret = file.read_text(encoding="ascii").strip()
    except UnicodeDecodeError:
        raise SecretDamaged(f"{file} is damaged") from None
    if not secret:
        raise SecretDamaged(f"{file} is empty")
    return secret


def write_secret(file: Path, content: str | bytes) -> None:
    """
    Write a file with mode 0600: whole and on the disk when this returns, or not at all.

    If a key is lost, the values that it sealed in the database can never be opened.
    """
    draft = file.with_name(f".{file.name}.new")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "wb") as opened:
        os.fchmod(descriptor, 0o600)  # for a draft that already existed
        opened.write(content.encode() if isinstance(content, str) else content)
        opened.flush()
        os.fsync(descriptor)
    draft.replace(file)
    sync_folder(file.parent)


def sync_folder(folder: Path) -> None:
    """Make sure that the names in *folder* are on the disk."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
