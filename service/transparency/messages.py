"""The requests to the signer, and its answers."""

import msgspec

from service.transparency.receipt import CommandReceipt


class LastHead(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The last head that the signer signed for an origin, and its public key."""

    origin: str
    size: int
    root: bytes
    verifier_key: str


class Head(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A head in the signer's memory."""

    origin: str
    size: int
    root: bytes


class Heads(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The last head of every league that the signer has ever signed for."""

    heads: tuple[Head, ...]


class SignRequest(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A head to sign, with the proof that it continues the last one."""

    origin: str
    size: int
    root: bytes
    proof: tuple[bytes, ...]


class Signed(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A signed note (C2SP signed-note)."""

    note: str


class Damage(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The answer of a signer that cannot read its memory."""

    memory: str
    """The fault in a sentence, with the file."""


class ReceiptsRequest(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Receipts to sign, each in a note of its own."""

    receipts: tuple[CommandReceipt, ...]


class SignedReceipts(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A signed note for each receipt, in the same order, and the public key of the signer."""

    verifier_key: str
    notes: tuple[str, ...]
