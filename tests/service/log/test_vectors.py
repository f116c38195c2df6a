"""The bytes of ``api-spec/vectors/entry.json``, which can never change."""

import hashlib
import json
from datetime import datetime
from pathlib import Path
from typing import Any
from uuid import UUID

from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from service.log import canonical
from service.log.batch import event_id
from service.log.codec import Codec
from service.log.keys import LeagueKeys
from service.log.sealing import commitment, seal, unseal
from tests.support.counters import DECIDERS, hidden

VECTORS: dict[str, Any] = json.loads(
    (Path(__file__).parents[3] / "api-spec" / "vectors" / "entry.json").read_text(encoding="utf-8")
)


def test_each_entry_has_the_bytes_and_the_hash_that_stand_there() -> None:
    for vector in VECTORS["entries"]:
        leaf = canonical.leaf(
            UUID(vector["league"]),
            bytes.fromhex(vector["previous"]),
            vector["stream"],
            vector["version"],
            UUID(vector["event_id"]),
            canonical.microseconds(datetime.fromisoformat(vector["at"])),
            vector["type"],
            vector["schema_version"],
            vector["data"].encode(),
            hashlib.sha256(vector["metadata"].encode()).digest(),
            None if vector["sealed"] is None else bytes.fromhex(vector["sealed"]),
        )
        assert len(leaf) == 1 + 253
        assert leaf.hex() == "00" + vector["entry"]
        assert hashlib.sha256(leaf).hexdigest() == vector["hash"]


def test_each_commitment_is_the_one_that_stands_there() -> None:
    for vector in VECTORS["commitments"]:
        made = commitment(
            UUID(vector["league"]),
            vector["stream"],
            vector["version"],
            vector["pointer"],
            bytes.fromhex(vector["salt"]),
            vector["value"].encode(),
        )
        assert made == vector["commitment"]


def test_the_box_has_the_bytes_that_stand_there_and_opens() -> None:
    vector = VECTORS["box"]
    keys = LeagueKeys(
        UUID(vector["league"]),
        UUID(vector["key_id"]),
        bytes.fromhex(vector["league_key"]),
        lambda count: bytes.fromhex(vector["iv"])[:count],
    )
    where = (keys, vector["stream"], vector["version"])
    texts = {audience: text.encode() for audience, text in vector["boxes"].items()}
    sealed = seal(*where, texts)
    assert sealed.hex() == vector["sealed"]
    opened = unseal(*where, sealed, None)
    assert set(opened) == set(texts)


def test_the_box_opens_with_nothing_but_a_cipher() -> None:
    vector = VECTORS["box"]
    sealed = bytes.fromhex(vector["sealed"])
    audience = min(vector["boxes"])
    name = audience.encode()
    assert sealed[0] == 1 and sealed[1] == len(name) and sealed[2 : 2 + len(name)] == name
    rest = sealed[2 + len(name) :]
    iv, length = rest[16:28], int.from_bytes(rest[28:32], "big")
    context = b"holotable/sealed/1" + UUID(vector["league"]).bytes
    context += hashlib.sha256(vector["stream"].encode()).digest()
    context += vector["version"].to_bytes(8, "big") + name
    cipher = AESGCM(bytes.fromhex(vector["stream_key"]))
    text = cipher.decrypt(iv, rest[32 : 32 + length], context)
    assert len(text) % 512 == 0
    assert text.rstrip(b" ").decode() == vector["boxes"][audience]


def test_an_event_with_hidden_places_has_the_bytes_that_stand_there() -> None:
    vector = VECTORS["event"]
    box = VECTORS["box"]
    keys = LeagueKeys(UUID(box["league"]), UUID(box["key_id"]), bytes.fromhex(box["league_key"]))
    encoded = Codec(DECIDERS).encode(hidden(), box["stream"], box["version"], keys)
    assert encoded.data.decode() == vector["data"]


def test_each_event_identifier_is_the_one_that_stands_there() -> None:
    for vector in VECTORS["event_ids"]:
        made = event_id(UUID(vector["command_id"]), vector["index"])
        assert str(made) == vector["event_id"]
