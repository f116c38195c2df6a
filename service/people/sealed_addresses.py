"""
Addresses of people, sealed with a key of the settings: e-mail addresses and addresses of browsers.

An account belongs to no league, so no league's key can seal its rows. A box is a random IV (12) ‖
AES-256-GCM of the text, padded with spaces to a multiple of 128 bytes. Relation and row are
authenticated. ``holotable rotate-key`` seals the boxes again.
"""

import contextlib
import hmac
import os
from typing import Final
from uuid import UUID

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from service.base.errors import EventUnreadable
from service.log.keys import derive

_BOX: Final = b"holotable/address/1"
_DIGEST: Final = b"holotable/address-digest/1"
_BLOCK: Final = 128
_IV: Final = 12


class AddressKeys:
    """
    The keys that seal and find addresses.

    Args:
        secret_keys: The settings' keys. The first one seals, and all are tried.
    """

    def __init__(self, *secret_keys: str) -> None:
        self._ciphers = [AESGCM(derive(each.encode(), _BOX)) for each in secret_keys]
        self._digests = [derive(each.encode(), _DIGEST) for each in secret_keys]

    def close(self, relation: str, row: UUID, text: str) -> bytes:
        """Return the box of *text* for a row."""
        iv, plain = os.urandom(_IV), text.encode()
        padded = plain + b" " * (-len(plain) % _BLOCK)
        return iv + self._ciphers[0].encrypt(iv, padded, relation.encode() + row.bytes)

    def opened(self, relation: str, row: UUID, box: bytes) -> str:
        """
        Return the text in *box*.

        Raises:
            EventUnreadable: If the box is damaged, is not this row's, or needs another key.
        """
        return self._opened(relation, row, box)[1]

    def sealed_again(self, relation: str, row: UUID, box: bytes) -> bytes | None:
        """
        Return a box with the first key, or None if *box* already has it.

        Raises:
            EventUnreadable: As :meth:`opened`.
        """
        number, text = self._opened(relation, row, box)
        return None if number == 0 else self.close(relation, row, text)

    def digests(self, address: str) -> list[bytes]:
        """Return the keyed digests by which an address may be stored, the newest key's first."""
        return [hmac.digest(each, address.lower().encode(), "sha256") for each in self._digests]

    def _opened(self, relation: str, row: UUID, box: bytes) -> tuple[int, str]:
        for number, cipher in enumerate(self._ciphers):
            with contextlib.suppress(InvalidTag):
                plain = cipher.decrypt(box[:_IV], box[_IV:], relation.encode() + row.bytes)
                return number, plain.rstrip(b" ").decode()
        raise EventUnreadable("a sealed address does not open", relation=relation)
