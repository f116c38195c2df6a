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

from service.base.errors import CheckpointRefused
from service.transparency.tree import EMPTY_ROOT

_ED25519 = b"\1"
_PRIVATE = "PRIVATE+KEY+"
_SIGNATURE = "\N{EM DASH} "
_ROOT_BYTES = 32
_KEY_BYTES = 32
_ID_BYTES = 4
_BODY_LINES = 3


class Checkpoint(msgspec.Struct, frozen=True, kw_only=True):
    """The size of a tree and its root."""

    origin: str
    """``holotable/<league>/<epoch>``."""

    size: int
    root: bytes

    def text(self) -> str:
        """Return the text to be signed, including the final newline."""
        return f"{self.origin}\n{self.size}\n{b64encode(self.root).decode()}\n"


def parse_checkpoint(text: str) -> Checkpoint:
    """
    Return the checkpoint in *text*, which has no signatures.

    Extension lines are part of the signed text. Their content is ignored here.

    Raises:
        CheckpointRefused: If the first three lines are not in the one form that
            ``Checkpoint.text`` writes, or an extension line is empty.
    """
    *lines, last = text.split("\n")
    if len(lines) < _BODY_LINES or last or "" in lines:
        raise CheckpointRefused("a checkpoint has three lines and optional extension lines")
    origin, size, root = lines[:_BODY_LINES]
    try:
        checkpoint = Checkpoint(origin=origin, size=int(size), root=b64decode(root, validate=True))
    except (ValueError, binascii.Error) as error:
        raise CheckpointRefused("a checkpoint's size is decimal, its root base64") from error
    if (
        not origin
        or checkpoint.size < 0
        or len(checkpoint.root) != _ROOT_BYTES
        or checkpoint.text() != "".join(f"{line}\n" for line in lines[:_BODY_LINES])
    ):
        raise CheckpointRefused("the checkpoint is not in canonical form")
    if checkpoint.size == 0 and checkpoint.root != EMPTY_ROOT:
        raise CheckpointRefused("the root of the empty tree is wrong")
    return checkpoint


class SigningKey:
    """
    A named Ed25519 key. Its ``repr`` shows only the public half.

    Args:
        name: The signer's name, without spaces and plus signs.
        secret: 32 bytes.
    """

    def __init__(self, name: str, secret: bytes) -> None:
        if not _is_name(name):
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
    Return the key in *text*, which has the form that ``private_key`` writes.

    Raises:
        ValueError: If the text is damaged. The message never repeats it.
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
    """Return the four bytes that name the key on a signature line."""
    return sha256(name.encode() + b"\n" + _ED25519 + public).digest()[:_ID_BYTES]


def verifier_key(name: str, public: bytes) -> str:
    """Return a public key in the form ``name+id+key``."""
    return f"{name}+{key_id(name, public).hex()}+{b64encode(_ED25519 + public).decode()}"


def read_verifier_key(text: str) -> tuple[str, bytes]:
    """
    Return the name and the public key in *text*, in the form that ``verifier_key`` writes.

    Raises:
        CheckpointRefused: If the form is different, or the key is not Ed25519.
    """
    name, _, encoded = text.partition("+")
    encoded = encoded.partition("+")[2]
    try:
        public = b64decode(encoded, validate=True)[1:]
    except ValueError:
        public = b""
    if not _is_name(name) or len(public) != _KEY_BYTES or verifier_key(name, public) != text:
        raise CheckpointRefused("a public key has the form name+id+key and must be Ed25519")
    return name, public


def open_note(note: str, verifier: str) -> str:
    """
    Return the text of *note* if the key *verifier* has signed it.

    Signatures of other keys are ignored.

    Args:
        note: A text, an empty line, signature lines.
        verifier: A public key in the form that ``verifier_key`` writes.

    Raises:
        CheckpointRefused: If the key did not sign the note, if a signature of the key is
            invalid, or if the note is malformed.
    """
    text, separator, lines = note.rpartition("\n\n")
    if not separator or not lines.endswith("\n"):
        raise CheckpointRefused("the note carries no signature")
    if any(sign < " " and sign != "\n" for sign in note):
        raise CheckpointRefused("the note holds a control character")
    text += "\n"
    name, public = read_verifier_key(verifier)
    ours = (name, key_id(name, public))
    signatures = [_signature(line) for line in lines[:-1].split("\n")]
    known = [blob for signer, blob in signatures if (signer, blob[:_ID_BYTES]) == ours]
    if not known:
        raise CheckpointRefused(f"the note is not signed by {name}")
    try:
        for blob in known:
            Ed25519PublicKey.from_public_bytes(public).verify(blob[_ID_BYTES:], text.encode())
    except InvalidSignature as error:
        raise CheckpointRefused(f"the signature of {name} is invalid") from error
    return text


def signers_of(note: str) -> list[str]:
    """Return the names on a note's signature lines, without checking them."""
    lines = note.rpartition("\n\n")[2].removesuffix("\n").split("\n")
    return [_signature(line)[0] for line in lines]


def _signature(line: str) -> tuple[str, bytes]:
    """Return the signer's name, and the key's id with the signature. Refuse any other form."""
    signer, _, value = line.removeprefix(_SIGNATURE).partition(" ")
    try:
        blob = b64decode(value, validate=True)
    except binascii.Error as error:
        raise CheckpointRefused("a signature line is not base64") from error
    written = f"{_SIGNATURE}{signer} {b64encode(blob).decode()}"
    if line != written or len(blob) <= _ID_BYTES or not _is_name(signer):
        raise CheckpointRefused("a signature line is not in canonical form")
    return signer, blob


def _is_name(name: str) -> bool:
    return bool(name) and "+" not in name and not any(sign.isspace() for sign in name)
