"""The codec refuses malformed events when it writes and when it reads, and returns all others."""

from datetime import UTC, datetime, timedelta, timezone
from typing import Any
from uuid import UUID

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from engine import season
from engine.coordination.aggregates import DECIDERS as AGGREGATES
from engine.table.model.events import FormedPot, PotsFormed
from engine.tournament.model.terms import FeeTerms
from engine.values import Sealed, SealedCard
from service.base.errors import EventUnreadable
from service.log import canonical
from service.log.canonical import NotCanonical
from service.log.codec import Codec
from service.log.hiding import hiding_in
from service.log.keys import Keys
from service.log.record import Recorded
from service.log.upcasters import current_version, upcast
from tests.engine.season.seasons import closing
from tests.support.counters import DECIDERS, SALT, Counted, Hidden, Secret, hidden, stream

LEAGUE = UUID(int=5)
KEYS, _ = Keys("a key of the tests, and of nothing else").new(LEAGUE)
CODEC = Codec(DECIDERS)


def recorded(event: msgspec.Struct, version: int = 1, **changes: Any) -> Recorded:
    """Return the row in which *event* would be stored."""
    it = CODEC.encode(event, stream(1), version, KEYS)
    row = Recorded(
        position=0,
        stream=stream(1),
        stream_version=version,
        event_id=UUID(int=1),
        type=it.type,
        schema_version=it.schema_version,
        at=datetime(2026, 11, 21, tzinfo=UTC),
        data=it.data,
        sealed=it.sealed,
        metadata=b"{}",
        hash=bytes(32),
        league=LEAGUE,
    )
    return row._replace(**changes)


@pytest.mark.parametrize(
    "event",
    [
        Counted(by=10**30),
        Counted(by=2**53),
        Counted(by=-(2**53)),
        Counted(by=1.5),  # type: ignore[arg-type]
        Counted(by=1.0),  # type: ignore[arg-type]
        Counted(by=float("nan")),  # type: ignore[arg-type]
        Counted(by=float("inf")),  # type: ignore[arg-type]
        Counted(by=1e400),  # type: ignore[arg-type]
        Counted(by=True),
        Counted(by="1"),  # type: ignore[arg-type]
        Counted(by={1, 2}),  # type: ignore[arg-type]
        Counted(by=1, note="\x00"),
        Counted(by=1, note="a\x1fb"),
        Counted(by=1, note="line\nline"),
        Counted(by=1, note="\ud800"),
        Counted(by=1, at=datetime(2026, 1, 1)),  # noqa: DTZ001
        Counted(by=1, at=datetime(2026, 1, 1, tzinfo=timezone(timedelta(hours=1)))),
        Hidden(secret=Secret(seed="in the open")),  # type: ignore[arg-type]
        Hidden(secret=Sealed(Secret(seed=""), SALT, ())),
        Hidden(secret=Sealed(Secret(seed=""), b"short", ("house",))),
        Hidden(secret=Sealed(Secret(seed="\x00"), SALT, ("house",))),
        Hidden(secret=hidden().secret, picks={"Upper": Sealed(1, SALT, ("house",))}),
        Hidden(secret=hidden().secret, picks={"0": Sealed(2**60, SALT, ("house",))}),
    ],
)
def test_what_has_no_canonical_form_is_refused(event: msgspec.Struct) -> None:
    with pytest.raises(NotCanonical):
        CODEC.encode(event, stream(1), 1, KEYS)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{",
        b"[]",
        b'{"type":"counted"}',
        b'{"type":"unknown","by":1}',
        b'{"by":1}',
        b'{"at":null,"by":1,"more":1,"note":"","type":"counted"}',
        b'{"at":null,"by":1.0,"note":"","type":"counted"}',
        b'{"at":null,"by":true,"note":"","type":"counted"}',
        b'{"at":null,"by":1e400,"note":"","type":"counted"}',
        b'{"at":null,"by":1,"note":"\xff","type":"counted"}',
        b'{"cards":[],"picks":{},"secret":{"commitment":"00"},"type":"hidden"}',
        b'{"cards":[{"pile":1,"position":1,"card":"Z1"}],"picks":{},"secret":null,"type":"hidden"}',
    ],
)
def test_a_stored_event_that_is_not_as_its_version_says_is_unreadable(data: bytes) -> None:
    with pytest.raises(EventUnreadable):
        CODEC.decode(recorded(Counted(by=1), data=data), KEYS)


def test_a_version_that_nobody_wrote_yet_is_unreadable() -> None:
    with pytest.raises(EventUnreadable):
        CODEC.decode(recorded(Counted(by=1), schema_version=2), KEYS)


def test_a_stored_event_of_version_1_is_read_as_todays() -> None:
    formed = PotsFormed(pots=(FormedPot(chips=7, eligible=(1, 2)),), carry=2, dead=0, rule="x")
    codec, table = Codec(AGGREGATES), "table-" + "0" * 32
    row = recorded(Counted(by=1), stream=table, type="pots_formed", schema_version=1)
    old = b'{"carry":2,"pots":[{"chips":7,"eligible":[1,2]}],"rule":"x","type":"pots_formed"}'
    assert codec.decode(row._replace(data=old), KEYS) == formed
    with pytest.raises(EventUnreadable):
        codec.decode(row._replace(data=old, schema_version=2), KEYS)


def test_an_unknown_category_is_unreadable() -> None:
    with pytest.raises(EventUnreadable):
        CODEC.decode(recorded(Counted(by=1), stream="dispute-" + "0" * 32), KEYS)


def test_the_bytes_are_sorted_and_without_blanks() -> None:
    event = Counted(by=-3, note='é "quoted" \\', at=datetime(2026, 1, 2, 3, 4, 5, 60, tzinfo=UTC))
    assert (
        CODEC.encode(event, stream(1), 1, KEYS).data
        == (
            '{"at":"2026-01-02T03:04:05.000060Z","by":-3,'
            '"note":"é \\"quoted\\" \\\\","type":"counted"}'
        ).encode()
    )


def test_the_greatest_exact_integers_are_kept() -> None:
    for by in (2**53 - 1, -(2**53) + 1, 0):
        assert CODEC.decode(recorded(Counted(by=by)), KEYS) == Counted(by=by)


def test_digits_in_a_text_are_not_a_number() -> None:
    note = "9999999999999999 1.5 1e9 -0 :9999999999999999,"
    assert CODEC.decode(recorded(Counted(by=1, note=note)), KEYS) == Counted(by=1, note=note)


@given(st.integers(-(2**53) + 1, 2**53 - 1), st.text(), st.datetimes(timezones=st.just(UTC)))
def test_whatever_is_written_is_read_back(by: int, note: str, at: datetime) -> None:
    event = Counted(by=by, note=note, at=at)
    try:
        row = recorded(event)
    except NotCanonical:
        assert any(ord(character) < 0x20 for character in note)
    else:
        assert CODEC.decode(row, KEYS) == event
        assert canonical.encode(msgspec.json.decode(row.data)) == row.data


def test_upcasters_go_one_step_at_a_time() -> None:
    steps = {
        ("counted", 1): lambda it: it | {"note": "two"},
        ("counted", 2): lambda it: it | {"by": it["by"] + 1},
    }
    assert current_version("counted", steps) == 3
    assert upcast("counted", 1, {"by": 1}, steps) == {"by": 2, "note": "two"}
    with pytest.raises(KeyError):
        upcast("counted", 4, {}, steps)


def test_what_was_stored_before_clocks_and_moved_absence_is_read_as_it_was_meant() -> None:
    """No level clock had set a level, and players who had been moved were present."""
    level = {"number": 3, "amounts": {"small": 20, "big": 40, "ante": 0}, "since_hand": 9}
    arrivals = [{"seat": 4, "entrant": "ent_1", "stack": 500}]

    hand = upcast("hand_opened", 1, {"number": 11, "level": level})
    moved = upcast("arrivals_seated", 1, {"restart": False, "arrivals": arrivals})

    assert hand == {"number": 11, "level": {**level, "set_by": None}}
    assert moved["arrivals"] == [
        {**arrivals[0], "away": False, "timeouts": 0, "hands_won": 0, "pots_won": 0}
    ]
    assert "set_by" not in level
    assert "away" not in arrivals[0]


def test_a_tournament_of_before_fees_cost_nothing_and_was_taken_on_trust() -> None:
    """The prize pool and the shares stay the same."""
    announced = {"ruleset": {}, "payouts": [3, 1], "prize_pool": 400}

    today = upcast("tournament_announced", 2, announced)

    assert msgspec.convert(today["fees"], FeeTerms) == FeeTerms()
    assert (today["payouts"], today["prize_pool"]) == ([3, 1], 400)


@pytest.mark.parametrize(
    ("kind", "version"),
    [("tournament_announced", 3), ("tournament_drafted", 1), ("terms_revised", 1)],
)
def test_terms_of_before_say_nothing_of_the_place_and_leave_players_no_office(
    kind: str, version: int
) -> None:
    """Blinds had no antes beside them. The hash stays: it covers the ruleset as it was written."""
    forced = {"kind": "blinds", "small": 5, "big": 10, "table_ante": 0}
    stored = {"ruleset": {"forced": forced}, "ruleset_hash": "6f91"}

    today = upcast(kind, version, stored)

    assert today == {
        "ruleset": {"forced": forced | {"player_ante": 0}},
        "ruleset_hash": "6f91",
        "staff_may_play": False,
        "place": None,
        "length_seconds": None,
        "visibility": "members",
    }
    assert "player_ante" not in forced


@pytest.mark.parametrize(
    "ruleset", [{"variant": "traditional"}, {"forced": {"kind": "ante", "amount": 2}}]
)
def test_a_table_of_before_plays_by_the_same_forced_bets(ruleset: dict[str, Any]) -> None:
    assert upcast("table_opened", 2, {"ruleset": ruleset}) == {"ruleset": ruleset}


def test_a_season_of_before_formulas_is_read_as_it_was_meant() -> None:
    """Every result counted, an award depended on the place only, and equal points shared a rank."""
    player, entrant = "plr_" + "0" * 32, "ent_" + "0" * 32
    tie_breaks = ["standings.best_result", "standings.wins"]
    opened = {
        "type": "season_opened",
        "season": "ssn_" + "0" * 32,
        "league": "lge_" + "0" * 32,
        "name": "Spring",
        "points": {"type": "places_from_end", "per_place": "1"},
        "scale": 2,
        "tie_breaks": tie_breaks,
    }
    award = {"player": player, "entrant": entrant, "place": 1, "shared": 1, "points": "1.00"}
    awarded = {
        "type": "points_awarded",
        "tournament": "trn_" + "0" * 32,
        "awards": [award],
        "rule": "points.places_from_end",
    }
    last = {"rank": 1, "player": player, "points": "1.00"}
    closed = {"type": "season_closed", "standings": [last]}
    stored = [upcast(each["type"], 1, each) for each in (opened, awarded, closed)]

    events = [msgspec.convert(each, season.decider.events) for each in stored]

    state = season.decider.replay(events[:2])
    [standing] = state.standings()
    assert (standing.rank, standing.points, standing.counted) == (1, "1.00", 1)
    [closed] = season.decider.decide(state, closing(state))
    assert closed.fates is not None and events[2].fates is None
    assert replace(closed, fates=None) == events[2]
    assert "field" not in awarded and "spent" not in award and "decided_by" not in last


@pytest.mark.parametrize(
    "hint",
    [list[SealedCard], tuple[SealedCard, SealedCard], dict[int, Sealed[int]], Sealed[int] | str],
)
def test_what_hides_in_another_shape_is_refused_before_anything_is_stored(hint: Any) -> None:
    event = msgspec.defstruct("Odd", [("place", hint)], tag="odd")
    with pytest.raises(TypeError, match="hides a value where it cannot be read"):
        hiding_in(event)


def test_a_place_that_hides_is_read_as_strictly_as_any_other() -> None:
    row = recorded(hidden())
    for place in (
        b'{"pile":1.0,"position":0}',
        b'{"pile":true,"position":0}',
        b'{"pile":1}',
        b"[1,0]",
    ):
        forged = row._replace(data=row.data.replace(b'{"pile":1,"position":0}', place))
        assert forged.data != row.data
        for keys in (KEYS, None):
            with pytest.raises(EventUnreadable):
                CODEC.decode(forged, keys)
