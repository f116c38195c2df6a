"""
Signed notes and checkpoints in the text form of the transparency community.

Source: C2SP signed-note and tlog-checkpoint.
"""

import binascii
from base64 import b64decode, b64encode
from hashlib import sha256

import msgspec
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import (
    Ed25519PrivateKey,
    Ed25519PublicKey,
)

from service.errors import CheckpointRefused

_ED25519 = b"\1"
_PRIVATE = "PRIVATE+KEY+"
_SIGNATURE = "\N{EM DASH} "
_ROOT_BYTES = 32
_ID_BYTES = 4
_BODY_LINES = 3


class Checkpoint(msgspec.Struct, frozen=True, kw_only=True):
    """How large a tree was, and its root."""

    origin: str
    """``holotable/<league>/<epoch>``."""

    size: int
    root: bytes

    def text(self) -> str:
        """Return what is signed, the closing newline included."""
        return f"{self.origin}\n{self.size}\n{b64encode(self.root).decode()}\n"


def parse_checkpoint(text: str) -> Checkpoint:
    """
    Return the checkpoint that *text*, without signatures, says.

    Raises:
        CheckpointRefused: If it is not in the one form that ``Checkpoint.text`` writes.
    """
    lines = text.split("\n")
    if len(lines) != _BODY_LINES + 1 or lines[-1]:
        raise CheckpointRefused("a checkpoint has three lines")
    origin, size, root = lines[:_BODY_LINES]
    try:
        checkpoint = Checkpoint(origin=origin, size=int(size), root=b64decode(root, validate=True))
    except (ValueError, binascii.Error) as error:
        raise CheckpointRefused("a checkpoint's size is decimal, its root base64") from error
    if (
        not origin
        or checkpoint.size < 0
        or len(checkpoint.root) != _ROOT_BYTES
        or checkpoint.text() != text
    ):
        raise CheckpointRefused("the checkpoint is not in canonical form")
    return checkpoint


class SigningKey:
    """
    A named Ed25519 key; its ``repr`` shows the public half.

    Args:
        name: Of the signer, without spaces and plus signs.
        secret: 32 bytes.
    """

    def __init__(self, name: str, secret: bytes) -> None:
        if not name or "+" in name or any(sign.isspace() for sign in name):
            raise ValueError("a signer's name has no space and no plus sign")
        self.name = name
        self._private = Ed25519PrivateKey.from_private_bytes(secret)
        self.public = self._private.public_key().public_bytes_raw()

    def __repr__(self) -> str:
        return f"SigningKey({self.verifier_key()})"

    def verifier_key(self) -> str:
        """Return the public key in the form ``name+id+key``."""
        return verifier_key(self.name, self.public)

    def sign(self, text: str) -> str:
        """Return *text* as a note with this key's signature."""
        signature = self._private.sign(text.encode())
        line = b64encode(key_id(self.name, self.public) + signature).decode()
        return f"{text}\n{_SIGNATURE}{self.name} {line}\n"


def private_key(name: str, secret: bytes) -> str:
    """Return a private key in the form ``PRIVATE+KEY+name+id+key``, as sumdb/note writes it."""
    number = key_id(name, SigningKey(name, secret).public).hex()
    return f"{_PRIVATE}{name}+{number}+{b64encode(_ED25519 + secret).decode()}"


def read_private_key(text: str) -> SigningKey:
    """
    Return the key that *text* holds in the form ``private_key`` writes.

    Raises:
        ValueError: If it is not whole; the message never repeats it.
    """
    try:
        name, _, encoded = text.strip().removeprefix(_PRIVATE).split("+", 2)
        key = SigningKey(name, b64decode(encoded, validate=True)[1:])
        if private_key(name, b64decode(encoded)[1:]) == text.strip():
            return key
    except ValueError:
        pass
    raise ValueError("the signer's key is damaged") from None


def key_id(name: str, public: bytes) -> bytes:
    """Return the four bytes by which a signature line names its key."""
    return sha256(name.encode() + b"\n" + _ED25519 + public).digest()[:_ID_BYTES]


def verifier_key(name: str, public: bytes) -> str:
    """Return a public key in the form ``name+id+key``."""
    return f"{name}+{key_id(name, public).hex()}+{b64encode(_ED25519 + public).decode()}"


def open_note(note: str, verifier: str) -> str:
    """
    Return the text of *note* if the key *verifier* has signed it.

    Args:
        note: A text, an empty line, signature lines.
        verifier: A public key as ``verifier_key`` writes it.

    Raises:
        CheckpointRefused: If no line is a valid signature of that key.
    """
    text, separator, lines = note.rpartition("\n\n")
    if not separator or not lines.endswith("\n"):
        raise CheckpointRefused("the note carries no signature")
    text += "\n"
    name, _, encoded = verifier.split("+", 2)
    public = b64decode(encoded, validate=True)[1:]
    for line in lines[:-1].split("\n"):
        signer, blob = _signature(line)
        if signer == name and blob[:_ID_BYTES] == key_id(name, public):
            try:
                Ed25519PublicKey.from_public_bytes(public).verify(blob[_ID_BYTES:], text.encode())
            except InvalidSignature as error:
                raise CheckpointRefused(f"the signature of {name} is invalid") from error
            return text
    raise CheckpointRefused(f"the note is not signed by {name}")


def signers_of(note: str) -> list[str]:
    """Return the names on a note's signature lines, unproven."""
    lines = note.rpartition("\n\n")[2].removesuffix("\n").split("\n")
    return [_signature(line)[0] for line in lines]


def _signature(line: str) -> tuple[str, bytes]:
    """Return who signed, and the key's id with the signature; one form only is a signature."""
    signer, _, value = line.removeprefix(_SIGNATURE).partition(" ")
    try:
        blob = b64decode(value, validate=True)
    except binascii.Error as error:
        raise CheckpointRefused("a signature line is not base64") from error
    if line != f"{_SIGNATURE}{signer} {b64encode(blob).decode()}":
        raise CheckpointRefused("a signature line is not in canonical form")
    return signer, blob
