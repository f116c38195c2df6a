"""
Reading an event with hidden places: decode its document, then fill in the hidden values.

Each type that may hide something has a shadow type. In the shadow, a hidden place has the form that
the document gives it. The whole document is decoded strictly in one pass, and each hidden place is
then made once, from the contents of its box.
"""

from collections.abc import Callable, Mapping
from functools import cache, lru_cache
from types import NoneType, UnionType
from typing import Any, NamedTuple, Union, get_args, get_origin

import msgspec
from msgspec.structs import asdict

from engine.values import HOUSE, Sealed, SealedCard
from service.log.sealing import Opening

Hint = Any
"""A type hint: a class, a union or a generic. Python has no type for that."""

Read = Any
"""A value decoded as a type that is made at run time, or a value made from it."""


class Card(msgspec.Struct, frozen=True, forbid_unknown_fields=True, gc=False):
    """A face-down card in a document."""

    pile: int
    position: int


class Commitment(msgspec.Struct, frozen=True, forbid_unknown_fields=True, gc=False):
    """Any other hidden value in a document."""

    audience: tuple[str, ...]
    commitment: str


House = dict[str, Opening]
"""The openings in the house's box. Each place is removed once its value is made."""

Whose = Mapping[str, tuple[str, ...]]
"""Audiences by place."""


class Hiding(NamedTuple):
    """The reader of a type that may hide something."""

    shadow: Hint
    """The shadow type, as which its part of a document is decoded."""

    fill: Callable[[Read, str, House | None, Whose], Read]
    """
    Makes a value from its decoded shadow, its pointer, the house's openings and the audiences.

    Without the house's openings, hidden places have neither value nor salt. It raises ``KeyError``
    if the house's box misses a place.
    """

    holds_cards: Callable[[Read], bool] | None
    """Returns whether a decoded value hides a card. It is None for a type that never does."""


@cache
def hiding_in(hint: Hint) -> Hiding | None:
    """
    Return the reader of a type, or None if the type hides nothing.

    Raises:
      TypeError: If the type hides something where hidden values cannot be read.
    """
    origin: object = get_origin(hint)
    parts = get_args(hint)
    if hint is SealedCard:
        return _CARD
    if hint is Sealed or origin is Sealed:
        return _value(parts[0] if parts else Any)  # an unnamed value may be anything
    if isinstance(hint, type) and issubclass(hint, msgspec.Struct):
        return _struct(hint)
    inner = [each for each in map(hiding_in, parts) if each is not None]
    if not inner:
        return None
    if origin is tuple and parts[1:] == (...,):
        return _row(inner[0], cards=parts[0] is SealedCard)
    if origin is dict and parts[0] is str:
        return _map(inner[0])
    if origin in (Union, UnionType) and set(parts[1:]) == {NoneType}:
        return _maybe(inner[0])
    raise TypeError(f"the type {hint!r} hides a value where it cannot be read")


def _fill_card(read: Card, pointer: str, house: House | None, whose: Whose) -> SealedCard:
    return _cards((read,), (pointer,), house, whose)[0]


_CARD = Hiding(Card, _fill_card, lambda _: True)


def _cards(
    read: tuple[Card, ...], pointers: tuple[str, ...], house: House | None, whose: Whose
) -> tuple[SealedCard, ...]:
    if house is None:
        return tuple([SealedCard("", b"", each.pile, each.position, ()) for each in read])
    found, take, new, text, salted = [], house.pop, SealedCard.__new__, _text, _salt
    for each, pointer in zip(read, pointers, strict=True):
        salt, face = take(pointer)
        card = new(SealedCard)  # costs a third of a call, and a hand has sixty cards
        card.card = text(face)
        card.salt = salted(salt)
        card.pile = each.pile
        card.position = each.position
        card.audiences = whose[pointer]
        found.append(card)
    return tuple(found)


_salt = bytes.fromhex
_text = msgspec.json.Decoder(str).decode


def _value(hint: Hint) -> Hiding:
    decode = msgspec.json.Decoder(hint).decode

    def fill(read: Commitment, pointer: str, house: House | None, whose: Whose) -> Sealed[Read]:
        if house is None:
            return Sealed(None, b"", read.audience)
        salt, value = house.pop(pointer)
        return Sealed(decode(value), _salt(salt), read.audience)

    return Hiding(Commitment, fill, None)


def _struct(struct: type[msgspec.Struct]) -> Hiding | None:
    fields = msgspec.structs.fields(struct)
    hiding = [
        (each.name, f"/{each.encode_name}", inner)
        for each in fields
        if (inner := hiding_in(each.type)) is not None
    ]
    if not hiding:
        return None
    shadows = {name: inner.shadow for name, _, inner in hiding}
    about = struct.__struct_config__
    shadow = msgspec.defstruct(
        struct.__name__,
        [_shadowed(each, shadows.get(each.name, each.type)) for each in fields],
        rename={each.name: each.encode_name for each in fields},
        tag=about.tag,
        tag_field=about.tag_field,
        forbid_unknown_fields=about.forbid_unknown_fields,
        kw_only=True,
        gc=False,
    )

    def fill(read: msgspec.Struct, pointer: str, house: House | None, whose: Whose) -> Read:
        members = asdict(read)
        for name, step, inner in hiding:
            members[name] = inner.fill(members[name], pointer + step, house, whose)
        return struct(**members)

    cards = [(name, inner.holds_cards) for name, _, inner in hiding if inner.holds_cards]

    def holds_cards(read: msgspec.Struct) -> bool:
        return any(holds(getattr(read, name)) for name, holds in cards)

    return Hiding(shadow, fill, holds_cards if cards else None)


def _shadowed(
    field: msgspec.structs.FieldInfo, shadow: Hint
) -> tuple[str, Hint] | tuple[str, Hint, object]:
    if field.default is not msgspec.NODEFAULT:
        return field.name, shadow, field.default
    if field.default_factory is not msgspec.NODEFAULT:
        return field.name, shadow, msgspec.field(default_factory=field.default_factory)
    return field.name, shadow


def _row(inner: Hiding, *, cards: bool) -> Hiding:
    fill_one = inner.fill

    def fill(
        read: tuple[Read, ...], pointer: str, house: House | None, whose: Whose
    ) -> tuple[Read, ...]:
        pointers = pointers_in(pointer, len(read))
        if cards:
            return _cards(read, pointers, house, whose)
        places = zip(read, pointers, strict=True)
        return tuple([fill_one(each, place, house, whose) for each, place in places])

    shadow = tuple[inner.shadow, ...]  # type: ignore[name-defined]
    holds = inner.holds_cards
    return Hiding(shadow, fill, holds and (lambda read: any(map(holds, read))))


def _map(inner: Hiding) -> Hiding:
    def fill(
        read: dict[str, Read], pointer: str, house: House | None, whose: Whose
    ) -> dict[str, Read]:
        return {
            key: inner.fill(each, f"{pointer}/{key}", house, whose) for key, each in read.items()
        }

    shadow = dict[str, inner.shadow]  # type: ignore[name-defined]
    holds = inner.holds_cards
    return Hiding(shadow, fill, holds and (lambda read: any(map(holds, read.values()))))


def _maybe(inner: Hiding) -> Hiding:
    def fill(read: Read, pointer: str, house: House | None, whose: Whose) -> Read:
        return None if read is None else inner.fill(read, pointer, house, whose)

    holds = inner.holds_cards
    return Hiding(
        inner.shadow | None, fill, holds and (lambda read: read is not None and holds(read))
    )


@lru_cache(maxsize=4096)
def pointers_in(pointer: str, count: int) -> tuple[str, ...]:
    """Return the RFC 6901 pointers of the items of a row."""
    return tuple([f"{pointer}/{index}" for index in range(count)])


def whose_places(boxes: Mapping[str, Mapping[str, Opening]]) -> Whose:
    """Return the audiences of each place, in the order of the boxes."""
    *others, last = boxes
    found: dict[str, tuple[str, ...]] = {}
    for audience in others:
        found |= dict.fromkeys(boxes[audience], (audience, last))
    if last == HOUSE and len(found) == sum([len(boxes[each]) for each in others]):
        # The usual case: each place is the house's, and at most one entrant's.
        return dict.fromkeys(boxes[last], (last,)) | found
    found = {}
    for audience, box in boxes.items():
        for pointer in box:
            found[pointer] = (*found.get(pointer, ()), audience)
    return found
