"""
The public generator, written a second time with nothing but ``hashlib``.

An audit with the engine's own generator would only prove that the engine agrees with
itself. Source: rulebook ``generator``.
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from hashlib import pbkdf2_hmac, sha256
from itertools import chain, count, islice
from struct import Struct
from uuid import UUID

GOLD = (0, 0, 5, -5, 10, -10)
SILVER = ("circle", "triangle", "square")
_LIMIT = 1 << 64
_BLOCK = 64
_INNER = bytes(each ^ 0x36 for each in range(256))
_FOUR_WORDS = Struct(">4Q").unpack
_OUTER = bytes(each ^ 0x5C for each in range(256))
_LEAF = b"\x00holotable/card/1"


def keyed(key: bytes, message: bytes) -> bytes:
    """Return HMAC-SHA256 (RFC 2104)."""
    padded = (key if len(key) <= _BLOCK else sha256(key).digest()).ljust(_BLOCK, b"\x00")
    inner = sha256(padded.translate(_INNER) + message).digest()
    return sha256(padded.translate(_OUTER) + inner).digest()


def seed(master: bytes, use: str, table: int, hand: int, deal: int) -> bytes:
    """Return the seed that a master gives for these numbers."""
    numbers = b"".join(number.to_bytes(4, "big") for number in (table, hand, deal))
    return keyed(master, b"holotable/seed/1" + use.encode() + b"\x00" + numbers)


def master_commitment(tournament: UUID, name: str, master: bytes) -> str:
    """Return the commitment to a master that is published before registration."""
    text = b"holotable/master/1" + tournament.bytes + name.encode() + b"\x00" + master
    return sha256(text).hexdigest()


def seed_commitment(value: bytes) -> str:
    """Return the commitment to a seed that a hand publishes."""
    return sha256(b"holotable/seed/1/commitment" + value).hexdigest()


def openings_digest(openings: Iterable[tuple[int, bytes]], beacon: bytes = b"") -> bytes:
    """Return the digest of the entrants' entropy, as seat and 32 bytes each, and of a beacon's."""
    text = b"".join(seat.to_bytes(2, "big") + value for seat, value in sorted(openings))
    return _mixed(beacon, text)


def entropy_commitment(value: bytes) -> str:
    """Return the commitment that an entrant publishes to 32 bytes of entropy."""
    return sha256(b"holotable/entropy/1" + value).hexdigest()


def commitments_digest(commitments: Iterable[bytes], beacon: bytes = b"") -> bytes:
    """Return the digest that draws at table 0 are mixed with."""
    return _mixed(beacon, b"".join(commitments))


def _mixed(beacon: bytes, text: bytes) -> bytes:
    version = b"2" if beacon else b"1"
    return sha256(b"holotable/openings/" + version + beacon + text).digest()


def numbers(value: bytes, label: str, n: int, openings: bytes, surely: int = 1) -> Iterator[bytes]:
    """
    Yield the 32-byte blocks of a label, without end.

    Args:
        surely: The number of blocks that will be needed in any case. They are made together.
    """
    key = keyed(value, label.encode() + b"\x00" + n.to_bytes(4, "big") + openings)
    yield keyed(key, bytes(8))
    if surely > 1:
        # PBKDF2 (RFC 8018) with one round and a salt of four zeros: block after block of HMAC.
        together = pbkdf2_hmac("sha256", key, bytes(4), 1, 32 * (surely - 1))
        for at in range(0, len(together), 32):
            yield together[at : at + 32]
    # The same as ``keyed``, but the padded keys are hashed once: few labels need so many blocks.
    padded = key.ljust(_BLOCK, b"\x00")
    inner, outer = sha256(padded.translate(_INNER)).copy, sha256(padded.translate(_OUTER)).copy
    for block in count(max(1, surely)):
        within = inner()
        within.update(block.to_bytes(8, "big"))
        around = outer()
        around.update(within.digest())
        yield around.digest()


class Draws:
    """Unbiased draws from a label's blocks. Words that would favour small numbers are skipped."""

    def __init__(self, value: bytes, label: str, n: int, openings: bytes, surely: int = 1) -> None:
        blocks = numbers(value, label, n, openings, -(-surely // 4))
        self._words = chain.from_iterable(map(_FOUR_WORDS, blocks))

    def below(self, k: int) -> int:
        """Return a number from 0 to k - 1."""
        ceiling = _ceiling(k)
        word: int = next(self._words)
        while word >= ceiling:
            word = next(self._words)
        return word % k

    def order(self, things: Sequence[str]) -> list[str]:
        """Return *things* shuffled."""
        drawn, words = list(things), self._words
        for k in range(len(drawn), 1, -1):
            # The same as ``below``, without a call for each card.
            ceiling = _ceiling(k)
            word = next(words)
            while word >= ceiling:
                word = next(words)
            last, other = k - 1, word % k
            drawn[last], drawn[other] = drawn[other], drawn[last]
        return drawn


@lru_cache(maxsize=256)
def _ceiling(k: int) -> int:
    """Return the number of words that favour no number below *k*."""
    return _LIMIT - _LIMIT % k


def pile(
    value: bytes, openings: bytes, number: int, cards: Sequence[str]
) -> tuple[list[str], list[bytes]]:
    """Return the faces of a pile by position, and the salts."""
    size = len(cards)
    faces = Draws(value, "pile", number, openings, surely=size - 1).order(cards)
    return faces, list(islice(numbers(value, "salt", number, openings, surely=size), size))


def pile_root(number: int, faces: Sequence[str], salts: Sequence[bytes]) -> str:
    """Return the root over a pile's leaves, in hexadecimal."""
    laid = zip(faces, salts, _places(number, len(salts)), strict=True)
    leaves = [sha256(_LEAF + salt + place + face.encode()).digest() for face, salt, place in laid]
    return root(leaves).hex()


@lru_cache(maxsize=64)
def _places(number: int, count: int) -> tuple[bytes, ...]:
    """Return pile and position of each card, in the form that its leaf has."""
    return tuple((number << 16 | position).to_bytes(4, "big") for position in range(count))


def root(leaves: Sequence[bytes]) -> bytes:
    """Return the RFC 6962 root: pairs from the left, an unpaired leaf moves up unchanged."""
    if not leaves:
        return sha256(b"").digest()
    row = list(leaves)
    while len(row) > 1:
        paired = zip(row[::2], row[1::2], strict=False)
        above = [sha256(b"\x01" + left + right).digest() for left, right in paired]
        row = above + row[-1:] if len(row) % 2 else above
    return row[0]


def dice(value: bytes, openings: bytes) -> tuple[int, str]:
    """Return the target number and the suit."""
    draws = Draws(value, "target", 1, openings)
    return GOLD[draws.below(6)], SILVER[draws.below(3)]


def pair(value: bytes, openings: bytes, label: str, n: int) -> tuple[int, int]:
    """Return the n-th roll of two common dice under *label*, faces from 1 to 6."""
    draws = Draws(value, label, n, openings)
    return draws.below(6) + 1, draws.below(6) + 1


def cube(value: bytes, openings: bytes, n: int, seats: Sequence[int]) -> int:
    """Return the seat that wins the n-th chance cube of a deal."""
    return seats[Draws(value, "cube", n, openings).below(len(seats))]
