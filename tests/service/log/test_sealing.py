"""Only its audience can open a hidden value, and nothing else betrays it."""

import traceback
from datetime import UTC, datetime
from hashlib import sha256
from uuid import UUID

import msgspec
import pytest

from engine.values import HOUSE, Sealed
from service.base.errors import EventUnreadable
from service.log.codec import Codec, openings_for
from service.log.keys import Keys, LeagueKeys
from service.log.record import Recorded
from service.log.sealing import unseal
from tests.support.counters import ALICE, BORIS, DECIDERS, SALT, Hidden, Secret, hidden, stream

LEAGUE = UUID(int=5)
WRAPPING = Keys("a key of the tests, and of nothing else")
KEYS, WRAPPED = WRAPPING.new(LEAGUE)
CODEC = Codec(DECIDERS)


def row_of(event: msgspec.Struct, keys: LeagueKeys = KEYS) -> Recorded:
    """Return the row in which *event* would be stored."""
    it = CODEC.encode(event, stream(1), 3, keys)
    about = (0, stream(1), 3, UUID(int=1), it.type, it.schema_version, datetime.now(UTC))
    return Recorded(*about, it.data, it.sealed, b"{}", bytes(32), LEAGUE)


def test_the_data_commits_and_does_not_tell() -> None:
    row = row_of(hidden())
    document = msgspec.json.decode(row.data)
    assert document["cards"] == [{"pile": 1, "position": 0}, {"pile": 1, "position": 1}]
    assert document["secret"]["audience"] == ["house"]
    for secret in (b"C+01", b"T-10", b"f00d", b"4711", SALT.hex().encode()):
        assert secret not in row.data
        assert row.sealed is not None and secret not in row.sealed


def test_a_commitment_is_what_the_decision_says() -> None:
    document = msgspec.json.decode(row_of(hidden()).data)
    said = b"holotable/commit/1" + LEAGUE.bytes + sha256(stream(1).encode()).digest()
    said += (3).to_bytes(8, "big") + sha256(b"/picks/1").digest() + SALT + b"4711"
    assert document["picks"]["1"]["commitment"] == sha256(said).hexdigest()


def test_each_audience_opens_its_own_places_only() -> None:
    row = row_of(hidden())
    assert row.sealed is not None
    assert [*unseal(KEYS, row.stream, 3, row.sealed, None)] == [ALICE, BORIS, HOUSE]
    assert {place: value for place, (_, value) in openings_for(row, ALICE, KEYS).items()} == {
        "/cards/0": "C+01",
        "/picks/1": 4711,
    }
    assert openings_for(row, BORIS, KEYS) == {"/cards/1": (SALT.hex(), "T-10")}
    assert set(openings_for(row, HOUSE, KEYS)) == {
        "/cards/0",
        "/cards/1",
        "/picks/0",
        "/picks/1",
        "/secret",
    }
    assert openings_for(row, (ALICE, BORIS), KEYS).keys() == {"/cards/0", "/cards/1", "/picks/1"}


def test_an_audience_without_a_box_sees_nothing() -> None:
    assert openings_for(row_of(hidden()), "entrant:ent_" + "c" * 32, KEYS) == {}


def test_a_box_does_not_open_under_another_name_stream_or_version() -> None:
    row = row_of(hidden())
    assert row.sealed is not None
    renamed = row.sealed.replace(ALICE.encode(), BORIS.encode(), 1)
    with pytest.raises(EventUnreadable):
        unseal(KEYS, row.stream, 3, renamed, (BORIS,))
    with pytest.raises(EventUnreadable):
        unseal(KEYS, row.stream, 4, row.sealed, (ALICE,))
    with pytest.raises(EventUnreadable):
        unseal(KEYS, stream(2), 3, row.sealed, (ALICE,))


def test_another_league_key_opens_nothing() -> None:
    other, _ = WRAPPING.new(LEAGUE)
    with pytest.raises(EventUnreadable):
        openings_for(row_of(hidden()), ALICE, other)
    with pytest.raises(EventUnreadable):
        CODEC.decode(row_of(hidden()), other)


def test_a_damaged_box_is_noticed() -> None:
    row = row_of(hidden())
    assert row.sealed is not None
    for damaged in (
        row.sealed[:-1],
        row.sealed[:-1] + bytes((row.sealed[-1] ^ 1,)),
        b"\x02" + row.sealed[1:],
        row.sealed[:30],
    ):
        with pytest.raises(EventUnreadable):
            unseal(KEYS, row.stream, 3, damaged, None)


def test_boxes_are_padded_so_that_their_length_says_little() -> None:
    short = row_of(Hidden(secret=Sealed(Secret(seed=""), SALT, (HOUSE,)))).sealed
    longer = row_of(Hidden(secret=Sealed(Secret(seed="x" * 200), SALT, (HOUSE,)))).sealed
    assert short is not None and longer is not None and len(short) == len(longer)


def test_the_same_object_in_two_places_has_two_commitments() -> None:
    shared = Sealed(1, SALT, (HOUSE,))
    row = row_of(Hidden(secret=hidden().secret, picks={"0": shared, "1": shared}))
    picks = msgspec.json.decode(row.data)["picks"]
    assert picks["0"]["commitment"] != picks["1"]["commitment"]
    assert CODEC.decode(row, KEYS).picks == {"0": shared, "1": shared}


def test_no_repr_and_no_traceback_tells_a_value() -> None:
    event = Hidden(
        secret=Sealed(Secret(seed="f00d"), SALT, (HOUSE,)),
        cards=hidden().cards,
        picks={"0": Sealed(4711, b"short", (HOUSE,))},
    )
    try:
        CODEC.encode(event, stream(1), 1, KEYS)
    except ValueError as error:
        told = "".join(traceback.format_exception(error)) + repr(event) + repr(KEYS)
    for secret in ("f00d", "4711", "C+01", "T-10", SALT.hex()):
        assert secret not in told


def test_a_key_is_kept_wrapped_and_opens_with_its_own_secret_only() -> None:
    again = WRAPPING.unwrap(LEAGUE, KEYS.key_id, WRAPPED)
    assert again.request_digest(b"x") == KEYS.request_digest(b"x")
    with pytest.raises(EventUnreadable):
        Keys("another key of the tests, as long").unwrap(LEAGUE, KEYS.key_id, WRAPPED)
    with pytest.raises(EventUnreadable):
        WRAPPING.unwrap(UUID(int=6), KEYS.key_id, WRAPPED)
