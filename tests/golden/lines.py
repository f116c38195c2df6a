"""
The text form of golden games: one event a line, as JSON, short enough to read.

A face-down card is ``"C+07@1.13 ent_2"``: its face, its pile, its position there and its
entrant.  A card that is turned over ends in ``open``.  The salts follow from the seeds of the
hand.  Zeros that only fill an identifier are left out.
"""

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any, get_args, get_origin

import msgspec

from engine.kit.rng import RandomWords, openings_digest
from engine.table.model.events import Event, HandOpened
from engine.values import HOUSE, Sealed, SealedCard, audience_of

_IDENTIFIER = re.compile(r'\b((?:ent|hnd|tbl|trn)_)0*([0-9a-f]*[0-9a-f])(?=["\\ ])')
_CARD = re.compile(r"(\S+)@(\d+)\.(\d+) (\S+)")
_OPEN_CARD = {"card", "pile", "position", "salt"}
_DIGITS = 32


class Salts:
    """The salts of the cards of the latest hand."""

    def __init__(self) -> None:
        self._seed = b""
        self._digest = b""

    def follow(self, event: Event) -> None:
        """Take the seeds of *event* if it opens a hand."""
        if isinstance(event, HandOpened):
            self._seed = bytes.fromhex(event.seeds.value.cards)
            openings = [(each.seat, bytes.fromhex(each.value)) for each in event.openings]
            self._digest = openings_digest(openings)

    def of(self, pile: int, position: int) -> bytes:
        """Return the salt of the card at *position* in *pile*."""
        return RandomWords(self._seed, "salt", pile, self._digest).block(position)


def written(events: Iterable[Event]) -> Iterator[str]:
    """
    Yield a line for each of *events*.

    Raises:
        ValueError: If the salt of a card does not follow from its seed.
    """
    salts = Salts()
    for event in events:
        salts.follow(event)
        plain = msgspec.to_builtins(event, enc_hook=lambda hidden: _hidden(hidden, salts))
        text = json.dumps(_shortened(plain, salts), separators=(",", ":"), ensure_ascii=False)
        yield _IDENTIFIER.sub(r"\1\2", text)


def _hidden(hidden: object, salts: Salts) -> object:
    match hidden:
        case SealedCard():
            owner = next(name for name in hidden.audiences if name != HOUSE)
            _known(hidden.salt, salts.of(hidden.pile, hidden.position))
            place = f"{hidden.pile}.{hidden.position}"
            return f"{hidden.card}@{place} {owner.removeprefix('entrant:')}"
        case Sealed():
            value = msgspec.to_builtins(hidden.value)
            return {"hidden": value, "salt": hidden.salt.hex(), "for": list(hidden.audiences)}
        case _:
            raise TypeError(f"{type(hidden).__name__} is not hidden")


def _known(salt: bytes, expected: bytes) -> None:
    if salt != expected:
        raise ValueError("a card has another salt than its seed gives it")


def _shortened(value: Any, salts: Salts) -> Any:
    if isinstance(value, dict) and value.keys() == _OPEN_CARD:
        _known(bytes.fromhex(value["salt"]), salts.of(value["pile"], value["position"]))
        return f"{value['card']}@{value['pile']}.{value['position']} open"
    if isinstance(value, dict):
        return {key: _shortened(each, salts) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_shortened(each, salts) for each in value]
    return value


def read(lines: Iterable[str]) -> Iterator[Event]:
    """Yield the event of each of *lines*."""
    salts = Salts()
    for line in lines:
        text = _IDENTIFIER.sub(lambda found: found[1] + found[2].rjust(_DIGITS, "0"), line)
        event = msgspec.convert(
            _opened(json.loads(text), salts),
            Event,
            dec_hook=lambda kind, value: _rebuilt(kind, value, salts),
        )
        salts.follow(event)
        yield event


def _opened(value: Any, salts: Salts) -> Any:
    """Return *value* with the text of each open card turned back into its members."""
    if isinstance(value, dict):
        return {key: _opened(each, salts) for key, each in value.items()}
    if isinstance(value, list):
        return [_opened(each, salts) for each in value]
    if isinstance(value, str) and value.endswith(" open"):
        card, pile, position, _ = _card(value)
        salt = salts.of(pile, position).hex()
        return {"card": card, "pile": pile, "position": position, "salt": salt}
    return value


def _card(text: str) -> tuple[str, int, int, str]:
    found = _CARD.fullmatch(text)
    if found is None:
        raise ValueError(f"not a card: {text!r}")
    return found[1], int(found[2]), int(found[3]), found[4]


def _rebuilt(kind: Any, value: Any, salts: Salts) -> Any:
    if kind is SealedCard:
        card, pile, position, owner = _card(value)
        audiences = (HOUSE, audience_of(owner))  # type: ignore[arg-type]
        return SealedCard(card, salts.of(pile, position), pile, position, audiences)
    if get_origin(kind) is Sealed:
        inner = msgspec.convert(value["hidden"], get_args(kind)[0])
        return Sealed(inner, bytes.fromhex(value["salt"]), tuple(value["for"]))
    raise TypeError(f"unknown hidden type {kind!r}")
