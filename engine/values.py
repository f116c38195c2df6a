"""
Quantities, identifiers and hidden values, shared by every aggregate.

Source: rulebook ``words``, and ``docs/adr`` on sealed values.
"""

from functools import lru_cache
from hashlib import sha256
from typing import Annotated, Any, Generic, Literal, NewType, Self, TypeVar, cast
from uuid import UUID

from msgspec import Meta, Struct

LeagueId = NewType("LeagueId", str)
SeasonId = NewType("SeasonId", str)
TournamentId = NewType("TournamentId", str)
TableId = NewType("TableId", str)
HandId = NewType("HandId", str)
EntrantId = NewType("EntrantId", str)
PlayerId = NewType("PlayerId", str)
AdjustmentId = NewType("AdjustmentId", str)
TextId = NewType("TextId", str)
BanId = NewType("BanId", str)
TemplateId = NewType("TemplateId", str)
DisputeId = NewType("DisputeId", str)

Seat = NewType("Seat", int)
"""A place at a table, numbered from 1 clockwise."""

CHIPS_MAX = 2**53 - 1
Chips = Annotated[int, Meta(ge=0, le=CHIPS_MAX)]
"""A whole number of chips. Every JSON reader can represent it exactly."""

Visibility = Literal["members", "link", "public"]
"""The people who may see a league or a tournament: its members, those with a link key, all."""

HexDigest = Annotated[str, Meta(pattern="^[0-9a-f]{64}$")]
"""32 bytes in lower-case hexadecimal."""


class TextRef(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """
    A reference to words that somebody wrote. The log never holds the words themselves.

    The words stand in a relation that can be emptied. The digest is SHA-256 of a salt of 32
    bytes and the UTF-8 text, so that readers can check the words they are shown.
    """

    text: TextId
    """The text, `txt_…`. Members read it with `GET /v1/texts/{id}`."""

    digest: HexDigest
    """SHA-256 of salt and text, in hexadecimal."""


HOUSE = "house"
"""The audience that every hidden value has: the process that deals."""

CATEGORIES = {
    "lge": "league",
    "ssn": "season",
    "trn": "tournament",
    "tbl": "table",
    "dsp": "dispute",
}
"""The stream category of each identifier prefix."""

_PREFIXES = {category: prefix for prefix, category in CATEGORIES.items()}

State_co = TypeVar("State_co", covariant=True)
Value = TypeVar("Value")


def identifier(prefix: str, number: UUID) -> str:
    """
    Return the API form of an identifier: prefix, underscore, 32 hexadecimal digits.

    >>> identifier("tbl", UUID(int=7))
    'tbl_00000000000000000000000000000007'
    """
    return f"{prefix}_{number.hex}"


def number_of(identifier: str) -> UUID:
    """
    Return the UUID inside an identifier.

    Raises:
        ValueError: If *identifier* is not ``<prefix>_<32 lower-case hex>``.
    """
    _, _, digits = identifier.partition("_")
    number = UUID(hex=digits)
    if number.hex != digits:
        raise ValueError(f"not an identifier: {identifier!r}")
    return number


def derived_number(name: str) -> UUID:
    """
    Return the number of an object that is named after its cause.

    >>> derived_number("x").version
    8
    """
    digits = int.from_bytes(sha256(b"holotable/derived/1" + name.encode()).digest()[:16], "big")
    digits = digits & ~(0xF << 76) | 8 << 76
    return UUID(int=digits & ~(0b11 << 62) | 0b10 << 62)


class Stream(str, Generic[State_co]):
    """
    The name of an aggregate's stream, with the type of its state.

    It works like a generic ``NewType``: a type of its own for mypy, and a plain string at run time.
    """

    __slots__ = ()

    def __new__(cls, name: str) -> Self:
        """Return *name* itself."""
        return cast(Self, name)


@lru_cache(maxsize=65_536)
def stream_of(identifier: str) -> Stream[Any]:
    """
    Return the stream of an aggregate's identifier. Its prefix alone determines the state.

    The result is cached, because every request needs the same few streams.

    Raises:
        KeyError: If no aggregate has this prefix.
        ValueError: If the rest is not 32 hexadecimal digits.

    >>> stream_of("tbl_00000000000000000000000000000007")
    'table-00000000000000000000000000000007'
    """
    prefix, _, _ = identifier.partition("_")
    return Stream(f"{CATEGORIES[prefix]}-{number_of(identifier).hex}")


@lru_cache(maxsize=65_536)
def aggregate_of(stream: str) -> str:
    """
    Return the identifier of the aggregate whose stream is called *stream*.

    >>> aggregate_of("table-00000000000000000000000000000007")
    'tbl_00000000000000000000000000000007'
    """
    category, _, digits = stream.partition("-")
    return f"{_PREFIXES[category]}_{digits}"


def audience_of(entrant: EntrantId) -> str:
    """
    Return the audience of one entrant. A seat has none, because its next occupant must not
    inherit it.
    """
    return f"entrant:{entrant}"


@lru_cache(maxsize=4096)
def only(entrant: EntrantId) -> tuple[str, str]:
    """Return the audiences of a value that only *entrant* and the house may see, ascending."""
    return audience_of(entrant), HOUSE


class _Ascending(dict[tuple[str, ...], tuple[str, ...]]):
    """A cache of audiences in ascending order. Every card of a hand has the same few."""

    # Each card needs this look-up, which costs half of a cached function's call.
    def __missing__(self, audiences: tuple[str, ...]) -> tuple[str, ...]:
        if len(self) == _AUDIENCES_KEPT:
            self.clear()
        ordered = self[audiences] = tuple(sorted(audiences))
        return ordered


_AUDIENCES_KEPT = 4096
_ASCENDING = _Ascending()


class Sealed(Generic[Value]):
    """
    A value that only its audiences may see, with the salt of its commitment.

    Its ``repr`` names the audiences and never the value, so neither a log
    line nor a traceback can reveal the value.

    Args:
        value: The hidden value, which msgspec can encode.
        salt: 32 bytes. Without the salt, the value could be guessed from its commitment.
        audiences: ``house`` and ``entrant:<id>``, ascending.
    """

    __slots__ = ("audiences", "salt", "value")

    def __init__(self, value: Value, salt: bytes, audiences: tuple[str, ...]) -> None:
        self.value = value
        self.salt = salt
        self.audiences = _ASCENDING[audiences]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sealed) and (self.value, self.salt, self.audiences) == (
            other.value,
            other.salt,
            other.audiences,
        )

    def __hash__(self) -> int:
        return hash((self.salt, self.audiences))

    def __repr__(self) -> str:
        return f"Sealed(for {', '.join(self.audiences)})"


class SealedCard:
    """
    A face-down card. Its place in a committed pile is public, its face is not.

    Its commitment is its leaf in the pile's root, so the event holds no other.
    """

    __slots__ = ("audiences", "card", "pile", "position", "salt")

    def __init__(
        self, card: str, salt: bytes, pile: int, position: int, audiences: tuple[str, ...]
    ) -> None:
        self.card = card
        self.salt = salt
        self.pile = pile
        self.position = position
        self.audiences = _ASCENDING[audiences]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SealedCard) and (
            self.card,
            self.salt,
            self.pile,
            self.position,
            self.audiences,
        ) == (other.card, other.salt, other.pile, other.position, other.audiences)

    def __hash__(self) -> int:
        return hash((self.pile, self.position, self.salt))

    def __repr__(self) -> str:
        places = ", ".join(self.audiences)
        return f"SealedCard(pile={self.pile}, position={self.position}, for {places})"
