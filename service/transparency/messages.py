"""What is said to the signer, and what it answers."""

import msgspec

from service.transparency.receipt import CommandReceipt


class LastHead(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The last head a signer has signed under an origin, and the key it signs with."""

    origin: str
    size: int
    root: bytes
    verifier_key: str


class SignRequest(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A head to be signed, with the proof that it continues the last one."""

    origin: str
    size: int
    root: bytes
    proof: tuple[bytes, ...]


class Signed(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A signed note (C2SP signed-note)."""

    note: str


class ReceiptsRequest(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Receipts to be signed, each in a note of its own."""

    receipts: tuple[CommandReceipt, ...]


class SignedReceipts(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A signed note for each receipt, in order, and the key that has signed them."""

    verifier_key: str
    notes: tuple[str, ...]
