"""Feeds, bundles, archives and replays use one list of the types that a reader may not see."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

import msgspec
import pytest

from engine.kit.audiences import AUDITOR, PUBLIC, STAFF_ONLY, Reader, reader_of
from engine.table.read.replay import HIDDEN, Happened, replayed
from engine.values import HOUSE, EntrantId, audience_of
from service.api.table.feed import item_of
from service.bundles.gathering import CODEC
from service.bundles.lines import Event, line_of
from service.bundles.writing import openings
from service.exports import archive
from service.log import catalogue
from service.log.codec import hidden_places
from service.log.keys import LeagueKeys
from service.log.memory import MemoryStore
from service.log.record import Recorded
from service.log.sealing import seal
from service.log.upcasters import current_version
from tests.service.bundles.test_bundling import played
from tests.service.league_night import named, utcnow

LEAGUE = UUID(int=0xB0B)
MINE, OTHERS = EntrantId(f"ent_{'1' * 32}"), EntrantId(f"ent_{'2' * 32}")
SECRET, OWN, FOREIGN = "what only the staff may read", "in my own box", "in the box of another"
SALT = "5a" * 32
TYPES = [
    (category, catalogue.tag_of(event))
    for category, events in catalogue.events_by_category().items()
    for event in events
]
PLAYER, ENTRANT, STAFF = Reader(), Reader(entrant=MINE), Reader(staff=True)

KEPT_BACK = {
    "tournament_drafted", "terms_revised", "entry_requested", "entry_request_withdrawn",
    "entry_refused", "payment_recorded", "refunds_awarded", "invitation_issued",
    "invitation_revoked", "prize_handed_over", "prize_returned", "prize_reversed",
    "payment_reversed",
}  # fmt: skip


def box(**values: str) -> bytes:
    return msgspec.json.encode({f"/{name}": [SALT, value] for name, value in values.items()})


def happened(category: str, tag: str, keys: LeagueKeys) -> Recorded:
    """Return an event of a type with a secret in it, and boxes for two entrants and the house."""
    stream = f"{category}-{'3' * 32}"
    boxes = {
        HOUSE: box(own=OWN, foreign=FOREIGN),
        audience_of(MINE): box(own=OWN),
        audience_of(OTHERS): box(foreign=FOREIGN),
    }
    data = msgspec.json.encode({"secret": SECRET, "type": tag})
    sealed = seal(keys, stream, 7, boxes)
    about, version = (UUID(int=9), tag, current_version(tag)), b"{}"
    return Recorded(4, stream, 7, *about, utcnow(), data, sealed, version, b"\7" * 32, LEAGUE)


def told(*shown: Any) -> set[str]:
    """Return the secrets that appear in *shown*."""
    text = b"".join(map(msgspec.json.encode, shown)).decode()
    return {each for each in (SECRET, OWN, FOREIGN) if each in text}


def by_feed(row: Recorded, reader: Reader, keys: LeagueKeys) -> set[str]:
    return told(item_of(row, "cursor", reader, keys))


def by_bundle(row: Recorded, reader: Reader, keys: LeagueKeys) -> set[str]:
    return told(line_of(row, None, reader), *openings(row, keys, "tournament", reader))


@pytest.fixture
async def keys() -> LeagueKeys:
    return await MemoryStore(now=utcnow).keys(LEAGUE)


@pytest.mark.anyio
@pytest.mark.parametrize(("category", "tag"), TYPES, ids=[tag for _, tag in TYPES])
async def test_every_way_out_shows_a_reader_the_same_of_an_event(
    category: str, tag: str, keys: LeagueKeys
) -> None:
    """A withheld type is withheld everywhere, with its boxes. An archive is for its owner."""
    row = happened(category, tag, keys)
    kept = tag in KEPT_BACK
    due: Mapping[str, set[str]] = {
        "player": set() if kept else {SECRET},
        "entrant": set() if kept else {SECRET, OWN},
        "staff": {SECRET},
        "auditor": {SECRET, OWN, FOREIGN},
    }
    assert by_feed(row, PLAYER, keys) == by_bundle(row, reader_of(PUBLIC), keys) == due["player"]
    assert by_feed(row, ENTRANT, keys) == by_bundle(row, reader_of(MINE), keys) == due["entrant"]
    assert by_feed(row, STAFF, keys) == told(archive.line_of(row)) == due["staff"]
    assert by_bundle(row, reader_of(AUDITOR), keys) == due["auditor"]


def test_the_list_names_types_that_there_are_and_none_of_a_table() -> None:
    """A replay shows every event of a hand to everybody, so no table event is for staff only."""
    assert set(KEPT_BACK) == STAFF_ONLY <= {tag for _, tag in TYPES}
    assert not STAFF_ONLY & {tag for category, tag in TYPES if category == "table"}


@pytest.mark.anyio
async def test_a_replay_opens_what_feeds_and_bundles_open() -> None:
    _, log, keys = await played("better_simple", voided=False)
    rows = [each for each in log if each.stream.startswith("table-")]
    table = rows[0].stream
    rows = [each for each in rows if each.stream == table]
    first = next(at for at, each in enumerate(rows) if each.type == "hand_opened")
    decoded = [CODEC.decode(each, keys) for each in rows]
    events = [
        Happened(event=event, version=row.stream_version, at=row.at)
        for event, row in zip(decoded[first:], rows[first:], strict=True)
    ]
    seats = {seat.entrant for seat in decoded[first].seats}
    mine = next(each for n in range(5) if (each := named("ent", f"better_simple {n}")) in seats)
    opened: dict[str, int] = {}
    for viewer in (PUBLIC, mine, AUDITOR):
        replay = replayed(decoded[0], events, viewer)
        assert replay is not None
        shown = {step.version: step.data for step in replay.steps}
        for row, event in zip(rows, decoded, strict=True):
            if row.stream_version not in shown:
                continue
            reader = reader_of(viewer)
            line = line_of(row, None, reader)
            due = {each.pointer for each in openings(row, keys, "hand", reader)}
            data = shown[row.stream_version]
            places = [pointer for pointer, _ in hidden_places(event)]
            assert isinstance(line, Event)
            assert {each for each in places if at(data, each) != HIDDEN} == due
            if viewer != AUDITOR:
                assert item_of(row, "cursor", reader, keys).opened.keys() == due
            opened[viewer] = opened.get(viewer, 0) + len(due)
    assert opened[PUBLIC] == 0 < opened[mine] < opened[AUDITOR]


def at(data: Any, pointer: str) -> Any:
    """Return the value of a replay at a pointer."""
    for part in pointer.split("/")[1:]:
        data = data[int(part)] if isinstance(data, list) else data[part]
    return data
