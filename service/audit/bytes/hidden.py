"""
Comparing an event's hidden values with its row: document, commitments and boxes.

The event is encoded again. The result must equal the row's bytes and the contents of its
boxes. Nothing is read twice. Source: ``api-spec/bundle.md``.
"""

from collections.abc import Mapping
from functools import lru_cache
from hashlib import sha256

import msgspec

from engine.values import SealedCard
from service.audit.bytes.chain import about, encode, hash_of_name
from service.log.codec import hidden_places
from service.log.record import Recorded
from service.log.sealing import Opening


def held_alike(event: msgspec.Struct, recorded: Recorded, texts: Mapping[str, bytes]) -> int | None:
    """
    Return the number of places that *event* hides, or None if *recorded* holds anything else.

    Args:
        event: The event with its hidden values, either read from the row's boxes or decided again.
        texts: The texts of the row's boxes by audience, ascending.
    """
    places = hidden_places(event)
    if not places:
        return None  # the row has boxes, but the event hides nothing
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
    if texts != {audience: encode(box) for audience, box in due.items()}:
        return None
    # The encoder asks in the order of the places. In any other order the bytes would differ.
    following = iter(documents)
    written = msgspec.json.encode(event, enc_hook=lambda _: next(following, None), order="sorted")
    return len(places) if written == recorded.data else None


@lru_cache(maxsize=1_024)
def _text(card: str) -> msgspec.Raw:
    return msgspec.Raw(encode(card))
