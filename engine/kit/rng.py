"""
The generator. It derives every card, die and lot of a tournament from two masters.

It uses no value that the house could choose later: no random id, time or hash of the log.
Its vectors in ``api-spec/vectors/generator.json`` allow independent implementations.

Source: rulebook ``generator``.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from hashlib import pbkdf2_hmac, sha256
from itertools import chain, count
from struct import Struct
from typing import TypeVar
from uuid import UUID

from engine.errors import InvariantViolated

Item = TypeVar("Item")

_BLOCK_BYTES = 64
_INNER = bytes(byte ^ 0x36 for byte in range(256))
_OUTER = bytes(byte ^ 0x5C for byte in range(256))
_WORDS = 2**64
_LEAF = sha256(b"\0holotable/card/1")
_NODE = sha256(b"\1")
_FOUR_WORDS = Struct(">4Q").unpack


def _keyed(key: bytes, message: bytes) -> bytes:
    padded = key.ljust(_BLOCK_BYTES, b"\0")
    inner = sha256(padded.translate(_INNER) + message).digest()
    return sha256(padded.translate(_OUTER) + inner).digest()


def derive_seed(master: bytes, use: str, table: int, hand: int, deal: int) -> bytes:
    """
    Return the seed of one deal, 32 bytes.

    The seed depends on these numbers and not on a running counter. With a counter, the order
    in which tables open would change their decks.

    Args:
        master: 32 bytes: the master ``cards`` for the use ``cards``, ``open`` for other uses.
        use: ``cards``, ``dice`` or ``draws``.
        table: Number of the table in the tournament, or 0 for the tournament's own draws.
        hand: Number of the hand at the table, or of the draw if *table* is 0.
        deal: Number of the deal of that hand, from 1.

    Source: rulebook ``generator.seeds``.
    """
    numbers = b"".join(number.to_bytes(4, "big") for number in (table, hand, deal))
    return _keyed(master, b"holotable/seed/1" + use.encode() + b"\0" + numbers)


def master_commitment(tournament: UUID, name: str, master: bytes) -> str:
    """Return the commitment to a master, in hexadecimal. It is public before registration."""
    body = b"holotable/master/1" + tournament.bytes + name.encode() + b"\0" + master
    return sha256(body).hexdigest()


def seed_commitment(seed: bytes) -> str:
    """Return the commitment to a seed in ``hand_opened``, in hexadecimal."""
    return sha256(b"holotable/seed/1/commitment" + seed).hexdigest()


def openings_digest(openings: Sequence[tuple[int, bytes]], beacon: bytes = b"") -> bytes:
    """
    Return the digest of the entropy that entrants and a beacon add to a deal.

    Args:
        openings: Every seat with an opening, and the 32 bytes of that opening.
        beacon: The bytes of the pulse (``engine.kit.beacon.mixed_in``), or empty without a beacon.

    Source: rulebook ``generator.openings`` and ``generator.beacon``.
    """
    body = b"".join(seat.to_bytes(2, "big") + value for seat, value in sorted(openings))
    return sha256(_prefix(beacon) + body).digest()


def _prefix(beacon: bytes) -> bytes:
    """Return the prefix of a digest. Without a beacon it keeps the bytes of the first version."""
    return b"holotable/openings/2" + beacon if beacon else b"holotable/openings/1"


def entropy_commitment(value: bytes) -> str:
    """
    Return the commitment to an entrant's 32 bytes, in hexadecimal.

    It is public before openings.
    """
    return sha256(b"holotable/entropy/1" + value).hexdigest()


def commitments_digest(commitments: Sequence[bytes], beacon: bytes = b"") -> bytes:
    """
    Return the digest for draws at table 0 of commitments in order of registration.

    Without commitments it equals the digest of a deal without openings.

    Args:
        beacon: The bytes of the pulse, as in :func:`openings_digest`.

    Source: rulebook ``entropy.draws``.
    """
    return sha256(_prefix(beacon) + b"".join(commitments)).digest()


@lru_cache(maxsize=128)
def _hashes(count: int) -> Callable[[bytes], tuple[bytes, ...]]:
    """Return the function that divides *count* hashes of 32 bytes."""
    return Struct("32s" * count).unpack


class RandomWords:
    """
    An endless sequence of uniform 64-bit words for one label of one deal.

    Args:
        seed: The seed of the deal, 32 bytes.
        label: The kind of draw, for example ``pile``.
        n: Number of the draw with this label within the deal, from 1.
        digest: The digest of the openings. Empty for draws that have no openings.
        ahead: The number of words that will surely be drawn. They are made at once.

    Source: rulebook ``generator.stream`` and ``generator.labels``.
    """

    __slots__ = ("_key", "_words")

    def __init__(
        self, seed: bytes, label: str, n: int = 1, digest: bytes = b"", ahead: int = 0
    ) -> None:
        self._key = _keyed(seed, label.encode() + b"\0" + n.to_bytes(4, "big") + digest)
        begun = -(-ahead // 4)
        blocks = chain(self.first(begun), self.blocks(begun)) if begun else self.blocks()
        self._words = chain.from_iterable(map(_FOUR_WORDS, blocks))

    def block(self, index: int) -> bytes:
        """Return the 32 bytes of block *index*, from 0, without drawing."""
        return _keyed(self._key, index.to_bytes(8, "big"))

    def blocks(self, first: int = 0) -> Iterator[bytes]:
        """Yield the blocks from *first* on, without drawing."""
        yield self.block(first)  # most streams need no other block
        # This is HMAC with the padded key hashed once for all blocks.
        padded = self._key.ljust(_BLOCK_BYTES, b"\0")
        inner_of = sha256(padded.translate(_INNER)).copy
        outer_of = sha256(padded.translate(_OUTER)).copy
        for index in count(first + 1):
            inner, outer = inner_of(), outer_of()
            inner.update(index.to_bytes(8, "big"))
            outer.update(inner.digest())
            yield outer.digest()

    def first(self, size: int) -> tuple[bytes, ...]:
        """Return the first *size* blocks, without drawing."""
        if size < 2:
            return (self.block(0),)[:size]
        # PBKDF2 of one round is HMAC of a salt and a number of four bytes, from 1 on. With four
        # zeros for a salt it makes every block but the first, in a single call.
        others = pbkdf2_hmac("sha256", self._key, bytes(4), 1, 32 * (size - 1))
        return (self.block(0), *_hashes(size - 1)(others))

    def below(self, k: int) -> int:
        """
        Draw a whole number from 0 to *k* - 1, each equally likely.

        Words in the incomplete last multiple of *k* are rejected, so that no number is favoured.

        Raises:
            InvariantViolated: If *k* is not positive.
        """
        if k < 1:
            raise InvariantViolated(f"nothing can be drawn below {k}")
        last = _WORDS - k
        while True:
            word: int = next(self._words)
            rest = word % k
            if word - rest <= last:
                return rest

    def shuffled(self, items: Sequence[Item]) -> tuple[Item, ...]:
        """
        Return *items* in drawn order.

        From the last index down to 1, each item is swapped with a drawn item at the same or a lower
        index.
        """
        order, words = list(items), self._words
        surely = _WORDS - len(order)
        for index in range(len(order) - 1, 0, -1):
            # The same as ``below``, without a call for each item. Of all words, only the last few
            # can be rejected.
            word, size = next(words), index + 1
            while word > surely and word - word % size > _WORDS - size:
                word = next(words)
            other = word % size
            order[index], order[other] = order[other], order[index]
        return tuple(order)


def shuffle(
    items: Sequence[Item], *, seed: bytes, label: str, n: int = 1, digest: bytes = b""
) -> tuple[Item, ...]:
    """Return *items* in the order drawn for *label* and *n* from *seed*."""
    return RandomWords(seed, label, n, digest, ahead=len(items) - 1).shuffled(items)


def card_leaves(pile: int, cards: Sequence[str], salts: Sequence[bytes]) -> list[bytes]:
    """Return each card's leaf in the tree of *pile*: its commitment, 32 bytes."""
    leaves = []
    faces, places = map(str.encode, cards), _places(pile, len(cards))
    for salt, place, face in zip(salts, places, faces, strict=True):
        leaf = _LEAF.copy()
        leaf.update(salt + place + face)
        leaves.append(leaf.digest())
    return leaves


@lru_cache(maxsize=64)
def _places(pile: int, size: int) -> tuple[bytes, ...]:
    """Return the number of *pile* and each position in it, four bytes together."""
    return tuple([(pile << 16 | position).to_bytes(4, "big") for position in range(size)])


def merkle_root(leaves: Sequence[bytes]) -> bytes:
    """
    Return the RFC 6962 root over hashed *leaves*. Without leaves, it is the hash of no bytes.

    >>> merkle_root([b"x" * 32]) == b"x" * 32
    True
    """
    if not leaves:
        return sha256().digest()
    level = list(leaves)
    while len(level) > 1:
        each = iter(level)
        above = []
        for left, right in zip(each, each, strict=False):
            node = _NODE.copy()
            node.update(left + right)
            above.append(node.digest())
        # A last node without a neighbour moves up unchanged.
        level = [*above, level[-1]] if len(level) % 2 else above
    return level[0]


class Pile:
    """A shuffled pile of cards with the salt of every position. Its ``repr`` shows no card."""

    __slots__ = ("_root", "cards", "number", "salts")

    def __init__(
        self,
        number: int,
        cards: tuple[str, ...],
        salts: tuple[bytes, ...],
        root: str | None = None,
    ) -> None:
        self.number = number
        self.cards = cards
        self.salts = salts
        self._root = root

    def __repr__(self) -> str:
        return f"Pile({self.number}, {len(self.cards)} cards)"

    def root(self) -> str:
        """Return the root of the tree over all positions, in hexadecimal."""
        if self._root is None:
            self._root = merkle_root(card_leaves(self.number, self.cards, self.salts)).hex()
        return self._root


Draw = Callable[[bytes, bytes, int, tuple[str, ...]], Pile]
"""
A function that draws a pile, such as :func:`shuffled_pile`.

An independent implementation of the generator can decide with its own function.
"""


def pile_salts(seed: bytes, digest: bytes, number: int, size: int) -> tuple[bytes, ...]:
    """Return the salt of every position of pile *number* of a deal."""
    return RandomWords(seed, "salt", number, digest).first(size)


@lru_cache(maxsize=256)
def shuffled_pile(seed: bytes, digest: bytes, number: int, cards: tuple[str, ...]) -> Pile:
    """
    Return pile *number* of a deal.

    Args:
        seed: The deal's ``cards`` seed.
        digest: The digest of the openings.
        number: 1 for the deck, then one more for every pile made of discards.
        cards: The cards of the pile, in the order of the deck.

    Source: rulebook ``generator.piles``.
    """
    order = shuffle(cards, seed=seed, label="pile", n=number, digest=digest)
    return Pile(number, order, pile_salts(seed, digest, number, len(order)))
