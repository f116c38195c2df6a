"""
Encoding the engine's events as the log's bytes, and decoding them.

A hidden place (``Sealed``, ``SealedCard``) leaves its commitment in ``data``. Its opening goes into
the boxes of its audiences. The encoder decodes its own output strictly before anything is hashed,
because msgspec can write documents that it would refuse to read.
"""

from collections.abc import Iterable, Iterator, Mapping
from functools import cache, lru_cache
from typing import Any, NamedTuple, get_args, get_origin, get_type_hints
from uuid import UUID

import msgspec

from engine.decider import AnyDecider
from engine.values import HOUSE, Sealed, SealedCard
from service.base.errors import EventUnreadable
from service.log import canonical
from service.log.canonical import NotCanonical
from service.log.hiding import Hint, Read, hiding_in, pointers_in, whose_places
from service.log.keys import LeagueKeys
from service.log.record import Recorded
from service.log.sealing import Opening, commitment, seal, unseal
from service.log.upcasters import current_version, upcast

Place = tuple[str, "Sealed[object] | SealedCard"]
_HIDDEN = frozenset((Sealed, SealedCard))
_ROWS = (list, tuple)
MALFORMED = (
    *(msgspec.MsgspecError, LookupError, ValueError, TypeError, AttributeError),
    *(ArithmeticError, RecursionError),
)
"""Exceptions that upcasting and decoding raise for a document that does not fit its type."""
_HOUSE = (HOUSE,)


class Encoded(NamedTuple):
    """An event in its stored form."""

    type: str
    schema_version: int
    data: bytes
    sealed: bytes | None


class Codec:
    """
    Writes and reads the events of every aggregate it is given.

    Args:
      deciders: By category. Their ``events`` list the types that may be stored.
    """

    def __init__(self, deciders: Mapping[str, AnyDecider]) -> None:
        self.deciders = deciders
        self._kinds = {category: _kinds_of(each.events) for category, each in deciders.items()}

    def encode(self, event: msgspec.Struct, stream: str, version: int, keys: LeagueKeys) -> Encoded:
        """
        Return *event* in the form that the log stores at *version* of *stream*.

        Raises:
          NotCanonical: If it has no canonical form, or could not be read back.
        """
        sealer = _Sealer(event, keys.league, stream, version)
        data = canonical.encode(event, sealer)
        try:
            type_ = str(event.__struct_config__.tag)
            self._kinds[category_of(stream)][type_].read(data)
        except (msgspec.MsgspecError, KeyError) as error:
            raise NotCanonical(f"{type(event).__name__}: {error}") from error
        boxes = sealer.boxes()
        sealed = seal(keys, stream, version, boxes) if boxes else None
        return Encoded(type_, current_version(type_), data, sealed)

    def decode(
        self,
        recorded: Recorded,
        keys: LeagueKeys | None,
        boxes: Mapping[str, Mapping[str, Opening]] | None = None,
    ) -> Any:  # an event of the type that the row names
        """
        Return the engine's event, with its hidden places opened.

        Args:
          keys: ``None`` for a reader without keys. Its hidden places keep their audiences
            but have neither value nor salt.
          boxes: The contents of all boxes of the event, if the caller has opened them.

        Raises:
          EventUnreadable: If the event is of an unknown type or version, or its
            boxes do not open.
        """
        try:
            kind = self._kinds[category_of(recorded.stream)][recorded.type]
            data = recorded.data
            if recorded.schema_version != kind.schema_version:
                data = _today(recorded)
            read, hiding, sealed = kind.checked(data), kind.hiding, recorded.sealed
            if sealed is None or keys is None:
                return read if hiding is None else hiding.fill(read, "", None, {})
            cards = hiding is not None and hiding.holds_cards and hiding.holds_cards(read)
            if boxes is None:
                # Only the boxes give a card's audience. For other values the event itself gives it.
                wanted = None if cards else _HOUSE
                boxes = unseal(keys, recorded.stream, recorded.stream_version, sealed, wanted)
            whose, house = whose_places(boxes) if cards else {}, dict(boxes[HOUSE])
            event = read if hiding is None else hiding.fill(read, "", house, whose)
            if house:
                raise ValueError("the house's box opens places that are not hidden")
            return event
        except MALFORMED as error:
            raise EventUnreadable(
                "a stored event cannot be read",
                stream=recorded.stream,
                version=recorded.stream_version,
                type=recorded.type,
            ) from error

    def public(self, stream: str, kind: str, schema_version: int, data: bytes) -> msgspec.Struct:
        """
        Return the event in a stored document, for a reader without keys.

        Its hidden places keep their audiences, but have neither value nor salt.

        Raises:
          EventUnreadable: If the event is of an unknown type or version, or malformed.
        """
        try:
            known = self._kinds[category_of(stream)][kind]
            if schema_version != known.schema_version:
                data = msgspec.json.encode(upcast(kind, schema_version, msgspec.json.decode(data)))
            read, hiding = known.checked(data), known.hiding
            event: msgspec.Struct = read if hiding is None else hiding.fill(read, "", None, {})
        except MALFORMED as error:
            why = f"{kind} of schema version {schema_version} cannot be read: {error}"
            raise EventUnreadable(why, stream=stream, type=kind) from error
        else:
            return event


class _Kind:
    """
    The decoder for the events of one type.

    It is chosen by the type column, which the hash covers. A union would search for the tag first,
    and sorted JSON puts the tag near the end.
    """

    __slots__ = ("hiding", "read", "schema_version", "tagged")

    def __init__(self, event: type[msgspec.Struct], tag: str) -> None:
        self.schema_version = current_version(tag)
        self.tagged = msgspec.json.encode({"type": tag})[1:-1]
        """The tag that each document must hold. A decoder for one type would accept its absence."""

        self.hiding = hiding_in(event)
        """Makes the event from its decoded document. It is None if the document is the event."""

        self.read = msgspec.json.Decoder(
            event if self.hiding is None else self.hiding.shadow
        ).decode

    def checked(self, data: bytes) -> Read:
        """Return the decoded *data*, which must hold its type's tag."""
        if data.rfind(self.tagged) < 0:
            raise ValueError("the document does not hold its type")
        return self.read(data)


@cache
def _kinds_of(events: Hint) -> dict[str, _Kind]:
    """Return the decoder of each event in a union, or of a single event, by stored name."""
    found = {str(each.__struct_config__.tag): each for each in get_args(events) or (events,)}
    return {tag: _Kind(each, tag) for tag, each in found.items()}


@lru_cache(maxsize=16_384)
def category_of(stream: str) -> str:
    """Return the category of a stream: ``table`` for ``table-<32 hex>``."""
    return stream.partition("-")[0]


def openings_for(
    recorded: Recorded, audiences: str | Iterable[str], keys: LeagueKeys
) -> dict[str, tuple[str, object]]:
    """
    Return the salts and values of an event that *audiences* may see.

    Args:
      audiences: One audience, or all audiences that the viewer belongs to.

    Returns:
      The salt in hexadecimal and the value, by RFC 6901 pointer into ``data``.
    """
    if recorded.sealed is None:
        return {}
    wanted = (audiences,) if isinstance(audiences, str) else tuple(audiences)
    boxes = unseal(keys, recorded.stream, recorded.stream_version, recorded.sealed, wanted)
    return {
        pointer: (salt, msgspec.json.decode(value))
        for box in boxes.values()
        for pointer, (salt, value) in box.items()
    }


class _Sealer:
    """
    The hook that msgspec calls at each hidden place. It knows the place's pointer.

    msgspec calls it in writing order, and ``order='sorted'`` matches the order of
    :func:`hidden_places`. The identity of each object is compared all the same.
    """

    def __init__(self, event: msgspec.Struct, league: UUID, stream: str, version: int) -> None:
        self._event = event
        self._about = (league, stream, version)
        self._places: Iterator[Place] | None = None
        self._boxes: dict[str, dict[str, tuple[str, msgspec.Raw]]] = {}

    def __call__(self, hidden: object) -> Mapping[str, object]:
        if type(hidden) not in _HIDDEN:
            raise TypeError(f"{type(hidden).__name__} cannot be stored")
        if self._places is None:
            self._places = iter(hidden_places(self._event))
        pointer, expected = next(self._places)
        if expected is not hidden or HOUSE not in hidden.audiences or len(hidden.salt) != 32:
            raise TypeError(f"a hidden value at {pointer} is not for the house, or has no salt")
        if isinstance(hidden, SealedCard):
            value = _card(hidden.card)
            written = {"pile": hidden.pile, "position": hidden.position}
            self._keep(pointer, hidden, value)
            return written
        value = canonical.encode(hidden.value)
        self._keep(pointer, hidden, value)
        league, stream, version = self._about
        proof = commitment(league, stream, version, pointer, hidden.salt, value)
        return {"audience": list(hidden.audiences), "commitment": proof}

    def _keep(self, pointer: str, hidden: "Sealed[object] | SealedCard", value: bytes) -> None:
        for audience in hidden.audiences:
            box = self._boxes.setdefault(audience, {})
            box[pointer] = (hidden.salt.hex(), msgspec.Raw(value))

    def boxes(self) -> dict[str, bytes]:
        """Return the content of each audience's box."""
        return {
            audience: msgspec.json.encode(box, order="sorted")
            for audience, box in self._boxes.items()
        }


@lru_cache(maxsize=1024)
def _card(card: str) -> bytes:
    return canonical.encode(card)


def hidden_places(event: msgspec.Struct) -> list[Place]:
    """Return an event's hidden values by RFC 6901 pointer, in writing order."""
    found: list[Place] = []
    _find(event, "", found)
    return found


def _find(value: Read, pointer: str, found: list[Place]) -> None:
    if type(value) in _HIDDEN:
        found.append((pointer, value))
    elif isinstance(value, msgspec.Struct):
        for name, encoded in _hiding_fields(type(value)):
            _find(getattr(value, name), f"{pointer}/{encoded}", found)
    elif isinstance(value, _ROWS):
        for place in zip(pointers_in(pointer, len(value)), value, strict=True):
            if type(place[1]) in _HIDDEN:  # most values are, many times in a hand
                found.append(place)
            else:
                _find(place[1], place[0], found)
    elif value is not None and isinstance(value, Mapping):
        for key in sorted(value, key=str):
            _find(value[key], f"{pointer}/{key}", found)


@cache
def _hiding_fields(struct: type[msgspec.Struct]) -> tuple[tuple[str, str], ...]:
    """Return the fields that may contain a hidden place: attribute name and encoded name."""
    hints = get_type_hints(struct)
    pairs = zip(struct.__struct_fields__, struct.__struct_encode_fields__, strict=True)
    return tuple(
        sorted((pair for pair in pairs if _may_hide(hints[pair[0]])), key=lambda pair: pair[1])
    )


@cache
def _may_hide(hint: Hint) -> bool:
    origin: object = get_origin(hint)
    # An open type may hold a sealed value.
    if hint is Any or hint in (Sealed, SealedCard) or origin is Sealed:
        return True
    if isinstance(hint, type) and issubclass(hint, msgspec.Struct):
        return bool(_hiding_fields(hint))
    return any(_may_hide(each) for each in get_args(hint) if each is not Ellipsis)


def _today(recorded: Recorded) -> bytes:
    """Return the document of an old event, upcast to the current version."""
    document = msgspec.json.decode(recorded.data)
    return msgspec.json.encode(upcast(recorded.type, recorded.schema_version, document))
