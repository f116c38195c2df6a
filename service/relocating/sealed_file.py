"""
A file of sealed messages, written and read one after the other.

A file begins with a mark, the salt of its passphrase and the first bytes of its IVs. Each message
is sealed by AES-256-GCM under its own IV, which counts up. So no message can be left out, doubled
or moved without notice. The reader has to know the last message, or the file may have been cut.
"""

import os
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Final

from cryptography.exceptions import InvalidTag

from service.backups.keys import cipher_of
from service.people.relocations import RelocationRefused

_MARK: Final = b"holotable/league/1"
_SALT, _BEGINS = 16, 8
_LENGTH = struct.Struct(">I")
_LONGEST: Final = 1 << 26
_AGAIN: Final = "pack the league again"


class SealedWriter:
    """Writes messages into an open file."""

    def __init__(self, file: IO[bytes], passphrase: str) -> None:
        salt, self._begins = os.urandom(_SALT), os.urandom(_BEGINS)
        self._file, self._cipher, self._count = file, cipher_of(passphrase, salt), 0
        file.write(_MARK + salt + self._begins)

    @property
    def size(self) -> int:
        """The number of bytes that were written."""
        return self._file.tell()

    def write(self, message: bytes) -> None:
        """Write one message, of at most 64 MiB."""
        iv = self._begins + _LENGTH.pack(self._count)
        sealed = self._cipher.encrypt(iv, message, _MARK)
        if len(sealed) > _LONGEST:
            raise ValueError("a message is too long")
        self._file.write(_LENGTH.pack(len(sealed)) + sealed)
        self._count += 1


def messages(path: Path, passphrase: str) -> Iterator[bytes]:
    """
    Yield the messages of a file.

    Raises:
        RelocationRefused: If it is no such file, the passphrase is another, or a bit has changed.
    """
    with path.open("rb") as file:
        if file.read(len(_MARK)) != _MARK:
            raise RelocationRefused(f"{path} is no packed league", "give the file of `league pack`")
        salt, begins, count = file.read(_SALT), file.read(_BEGINS), 0
        cipher = cipher_of(passphrase, salt)
        while head := file.read(_LENGTH.size):
            length = _LENGTH.unpack(head)[0] if len(head) == _LENGTH.size else 0
            sealed = file.read(length) if 0 < length <= _LONGEST else b""
            if not sealed or len(sealed) != length:
                raise RelocationRefused(f"{path} is cut off or damaged", _AGAIN)
            try:
                yield cipher.decrypt(begins + _LENGTH.pack(count), sealed, _MARK)
            except InvalidTag:
                why = "does not open with this passphrase" if count == 0 else "is damaged"
                raise RelocationRefused(f"{path} {why}", _AGAIN) from None
            count += 1
