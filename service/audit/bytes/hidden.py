"""
What an event hides, compared with the row that should hold it: document, commitments, boxes.

What is known of the event is written down once more, and has to be the row's bytes and the
contents of its boxes; nothing is read again.  Source: ``api-spec/bundle.md``.
"""

from functools import lru_cache
from hashlib import sha256

import msgspec

from engine.values import SealedCard
from service.audit.bytes.chain import Boxes, about, encode, hash_of_name
from service.log.codec import hidden_places
from service.log.record import Recorded
from service.log.sealing import Opening


def held_alike(event: msgspec.Struct, recorded: Recorded, boxes: Boxes) -> int | None:
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
    documents: list[dict[str, object]] = []
    for pointer, hidden in places:
        if isinstance(hidden, SealedCard):
            text = _text(hidden.card)
            documents.append({"pile": hidden.pile, "position": hidden.position})
        else:
            if len(set(hidden.audiences)) != len(hidden.audiences):
                return None
            value = encode(hidden.value)
            text = msgspec.Raw(value)
            said = about(recorded) + hash_of_name(pointer) + hidden.salt + value
            proof = sha256(said).hexdigest()
            documents.append({"audience": list(hidden.audiences), "commitment": proof})
        opening = hidden.salt.hex(), text
        for audience in hidden.audiences:
            if audience in due:
                due[audience][pointer] = opening
            else:
                due[audience] = {pointer: opening}
    # For whom a card is, readers tell by the order in which its boxes stand.
    if list(boxes.items()) != sorted(due.items()):
        return None
    # Asked in the order of the places; were it another, the bytes would be others.
    following = iter(documents)
    written = msgspec.json.encode(event, enc_hook=lambda _: next(following, None), order="sorted")
    return len(places) if written == recorded.data else None


@lru_cache(maxsize=1_024)
def _text(card: str) -> msgspec.Raw:
    return msgspec.Raw(encode(card))
