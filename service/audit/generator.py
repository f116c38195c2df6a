"""
The public generator, written a second time with nothing but ``hmac`` and ``hashlib``.

An audit that drew decks with the engine's own code would only prove that the
engine agrees with itself.  Source: rulebook ``generator``.
"""

from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256
from hmac import digest
from typing import NamedTuple
from uuid import UUID

GOLD = (0, 0, 5, -5, 10, -10)
SILVER = ("circle", "triangle", "square")
_LIMIT = 1 << 64


class Card(NamedTuple):
    """What lies at one position of a pile."""

    face: str
    salt: bytes


def seed(master: bytes, use: str, table: int, hand: int, deal: int) -> bytes:
    """Return the seed that a master gives for these numbers."""
    numbers = b"".join(number.to_bytes(4, "big") for number in (table, hand, deal))
    return digest(master, b"holotable/seed/1" + use.encode() + b"\x00" + numbers, "sha256")


def master_commitment(tournament: UUID, name: str, master: bytes) -> str:
    """Return what was published of a master before registration."""
    text = b"holotable/master/1" + tournament.bytes + name.encode() + b"\x00" + master
    return sha256(text).hexdigest()


def seed_commitment(value: bytes) -> str:
    """Return what a hand publishes of a seed."""
    return sha256(b"holotable/seed/1/commitment" + value).hexdigest()


def openings_digest(openings: Iterable[tuple[int, bytes]]) -> bytes:
    """Return the digest of the entrants' entropy: seat and 32 bytes of each."""
    text = b"".join(seat.to_bytes(2, "big") + value for seat, value in sorted(openings))
    return sha256(b"holotable/openings/1" + text).digest()


def entropy_commitment(value: bytes) -> str:
    """Return what an entrant published of its 32 bytes beforehand."""
    return sha256(b"holotable/entropy/1" + value).hexdigest()


def commitments_digest(commitments: Iterable[bytes]) -> bytes:
    """Return the digest that draws at table 0 are mixed with."""
    return sha256(b"holotable/openings/1" + b"".join(commitments)).digest()


def numbers(value: bytes, label: str, n: int, openings: bytes) -> Iterator[bytes]:
    """Yield the 32-byte blocks of a label."""
    key = digest(value, label.encode() + b"\x00" + n.to_bytes(4, "big") + openings, "sha256")
    block = 0
    while True:
        yield digest(key, block.to_bytes(8, "big"), "sha256")
        block += 1


class Draws:
    """Even draws below k from a label's blocks, words above the last multiple of k refused."""

    def __init__(self, value: bytes, label: str, n: int, openings: bytes) -> None:
        self._words = (
            int.from_bytes(block[at : at + 8], "big")
            for block in numbers(value, label, n, openings)
            for at in (0, 8, 16, 24)
        )

    def below(self, k: int) -> int:
        """Return a number from 0 to k - 1."""
        ceiling = _LIMIT - _LIMIT % k
        return next(word for word in self._words if word < ceiling) % k

    def order(self, things: Sequence[str]) -> list[str]:
        """Return *things* shuffled."""
        drawn = list(things)
        for last in range(len(drawn) - 1, 0, -1):
            other = self.below(last + 1)
            drawn[last], drawn[other] = drawn[other], drawn[last]
        return drawn


def pile(value: bytes, openings: bytes, number: int, cards: Sequence[str]) -> list[Card]:
    """Return a pile by position: face and salt."""
    faces = Draws(value, "pile", number, openings).order(cards)
    salts = numbers(value, "salt", number, openings)
    return [Card(face, next(salts)) for face in faces]


def leaf(card: str, salt: bytes, number: int, position: int) -> bytes:
    """Return a card's leaf."""
    place = number.to_bytes(2, "big") + position.to_bytes(2, "big")
    return sha256(b"\x00holotable/card/1" + salt + place + card.encode()).digest()


def pile_root(number: int, cards: Sequence[Card]) -> str:
    """Return the root over a pile's leaves."""
    leaves = [leaf(card.face, card.salt, number, position) for position, card in enumerate(cards)]
    return root(leaves).hex()


def root(leaves: Sequence[bytes]) -> bytes:
    """Return the RFC 6962 root, by that document's own recursion."""
    if not leaves:
        return sha256(b"").digest()
    if len(leaves) == 1:
        return leaves[0]
    half = 1 << (len(leaves) - 1).bit_length() - 1
    return sha256(b"\x01" + root(leaves[:half]) + root(leaves[half:])).digest()


def dice(value: bytes, openings: bytes) -> tuple[int, str]:
    """Return target number and suit."""
    draws = Draws(value, "target", 1, openings)
    return GOLD[draws.below(6)], SILVER[draws.below(3)]


def pair(value: bytes, openings: bytes, label: str, n: int) -> tuple[int, int]:
    """Return the n-th roll of two common dice under *label*, faces from 1 to 6."""
    draws = Draws(value, label, n, openings)
    return draws.below(6) + 1, draws.below(6) + 1


def cube(value: bytes, openings: bytes, n: int, seats: Sequence[int]) -> int:
    """Return the seat that the n-th cube of a deal falls to."""
    return seats[Draws(value, "cube", n, openings).below(len(seats))]
