"""
What an event hides, compared with the row that should hold it: document, commitments, boxes.

What is known of the event is written down once more, and has to be the row's bytes and the
contents of its boxes; nothing is read again.  Source: ``api-spec/bundle.md``.
"""

from functools import lru_cache
from hashlib import sha256
from typing import Any

import msgspec

from engine.values import SealedCard
from service.audit.chain import Boxes, about, encode, hash_of_name
from service.eventstore.codec import Place, hidden_places
from service.eventstore.record import Recorded
from service.eventstore.sealing import Opening


def held_alike(event: Any, recorded: Recorded, boxes: Boxes) -> int | None:
    """
    Return how many places *event* hides, if *recorded* holds just it; else ``None``.

    Args:
        event: With its hidden values, as they were read from *boxes* or decided again.
        boxes: What the row's boxes hold, in their order.
    """
    places = hidden_places(event)
    if not places:
        return None  # something is sealed of an event that hides nothing
    due: dict[str, dict[str, Opening]] = {}
    texts = []
    for pointer, hidden in places:
        if isinstance(hidden, SealedCard):
            text = _text(hidden.card)
        else:
            text = msgspec.Raw(encode(hidden.value))
        texts.append(text)
        opening = hidden.salt.hex(), text
        for audience in hidden.audiences:
            due.setdefault(audience, {})[pointer] = opening
    # For whom a card is, readers tell by the order in which its boxes stand.
    if list(boxes.items()) != sorted(due.items()):
        return None
    hiding = _Hiding(places, texts, about(recorded))
    written = msgspec.json.encode(event, enc_hook=hiding, order="sorted")
    return len(places) if written == recorded.data else None


class _Hiding:
    """Writes what stands in a document of what is hidden; asked in the order of *places*."""

    __slots__ = ("_about", "_places", "_texts")

    def __init__(self, places: list[Place], texts: list[msgspec.Raw], begins: bytes) -> None:
        self._places = iter(places)
        self._texts = iter(texts)
        self._about = begins

    def __call__(self, hidden: Any) -> dict[str, Any]:
        pointer, expected = next(self._places)
        text = next(self._texts)
        if expected is not hidden:
            raise ValueError("what is hidden stands in another order than it is written")
        if type(hidden) is SealedCard:
            return {"pile": hidden.pile, "position": hidden.position}
        said = self._about + hash_of_name(pointer) + hidden.salt + bytes(text)
        return {"audience": list(hidden.audiences), "commitment": sha256(said).hexdigest()}


@lru_cache(maxsize=1_024)
def _text(card: str) -> msgspec.Raw:
    return msgspec.Raw(encode(card))
