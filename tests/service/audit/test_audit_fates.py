"""An audit finds tournaments without a fate, or with a wrong one, in a closed season."""

from collections.abc import Callable
from functools import cache
from typing import Any

import msgspec
import pytest

from engine.season.events import SeasonClosed
from engine.season.values import Fate
from service.audit.report import Findings
from service.audit.run.streams import StreamAudit
from service.audit.season.fates import FateAudit
from service.log.canonical import encode
from service.log.record import Recorded
from service.sandbox.generating.seasons import Season, made
from tests.engine.coordination.test_house_bot_points import with_bots

SEEDS = range(1, 60)
STRANGER = "plr_" + "9" * 32
WORDS = {"text": "txt_" + "9" * 32, "digest": "99" * 32}
NOBODY = {"by": None, "reason": None}
FOLLOWED = ("season-", "tournament-")

Fates = list[dict[str, Any]]


@cache
def made_up(seed: int) -> Season:
    return made(seed, 4, 1.0)


def fates(season: Season) -> Fates:
    closed = next(row for row in season.rows if row.type == "season_closed")
    found: Fates = msgspec.json.decode(closed.data)["fates"]
    return found


def season_with(kind: str, revised: bool = False) -> Season:
    """Return the first generated season with a tournament of this fate."""
    for season in map(made_up, SEEDS):
        types = {row.type for row in season.rows}
        wanted = {"award_revised"} if revised else set()
        kinds = {each["fate"] for each in fates(season)}
        if kind in kinds and wanted <= types and "award_revoked" not in types:
            return season
    raise LookupError(kind)


def found_in(season: Season, rows: list[Recorded]) -> list[str]:
    """Return the faults that an audit finds in the season's fates."""
    findings = Findings()
    audit = StreamAudit(season.keys, findings, {f"season-{season.subject[4:]}"})
    for row in rows:
        if row.stream.startswith(FOLLOWED):
            audit.read(row)
    audit.end(rows[-1].at)
    assert findings.checks["fates"].checked
    return [fault.what for fault in findings.checks["fates"].faults]


def closed_with(season: Season, change: Callable[[Fates], Fates | None]) -> list[Recorded]:
    """Return the log with other fates in the close of the season."""
    rows = list(season.rows)
    [at] = [index for index, row in enumerate(rows) if row.type == "season_closed"]
    data = msgspec.json.decode(rows[at].data)
    data["fates"] = change(data["fates"])
    rows[at] = rows[at]._replace(data=encode(data))
    return rows


def turned(kind: str, **into: Any) -> Callable[[Fates], Fates]:
    """Return a function that changes the members of the first fate of *kind*."""

    def change(known: Fates) -> Fates:
        at = [each["fate"] for each in known].index(kind)
        return [*known[:at], known[at] | into, *known[at + 1 :]]

    return change


def without(kind: str) -> Callable[[Fates], Fates]:
    def change(known: Fates) -> Fates:
        at = [each["fate"] for each in known].index(kind)
        return [*known[:at], *known[at + 1 :]]

    return change


@pytest.mark.parametrize("kind", ["counted", "cancelled", "left_out", "not_played"])
def test_a_tournament_without_a_fate_is_found(kind: str) -> None:
    season = season_with(kind)
    assert found_in(season, list(season.rows)) == []

    [what] = found_in(season, closed_with(season, without(kind)))

    assert what.endswith("was announced for the season and has no fate")


@pytest.mark.parametrize(
    ("kind", "into"),
    [
        ("counted", {"fate": "not_played"}),
        ("counted", {"fate": "left_out", "by": STRANGER, "reason": WORDS}),
        ("cancelled", {"fate": "not_played"}),
        ("cancelled", {"fate": "counted"}),
        ("not_played", {"fate": "counted"}),
        ("not_played", {"fate": "cancelled"}),
        ("left_out", {"by": None}),
        ("left_out", {"reason": None}),
        ("left_out", {"fate": "counted", **NOBODY}),
        ("left_out", {"fate": "not_played", **NOBODY}),
    ],
)
def test_a_wrong_fate_is_found(kind: str, into: dict[str, Any]) -> None:
    season = season_with(kind)
    [what] = found_in(season, closed_with(season, turned(kind, **into)))
    assert what.startswith(f"trn_{what[4:36]} ")


def test_a_tournament_that_the_season_never_heard_of_is_found() -> None:
    """The house announces a tournament but neither counts it nor tells the season about it."""
    season = season_with("not_played")
    [kept_quiet] = [each for each in fates(season) if each["fate"] == "not_played"][:1]
    name = kept_quiet["tournament"].encode()
    rows = [
        row
        for row in closed_with(season, without("not_played"))
        if not (row.type == "tournament_added" and name in row.data)
    ]

    [what] = found_in(season, rows)

    assert what == f"{name.decode()} was announced for the season and has no fate"


@pytest.mark.parametrize(("bots", "right"), [((1, 2, 3, 4), True), ((1, 2, 4), False)])
def test_only_a_night_of_house_bots_alone_closes_as_not_played(
    bots: tuple[int, ...], right: bool
) -> None:
    night = with_bots(*bots)
    number = night.terms.tournament
    fate = Fate(tournament=number, fate="not_played", by=None, reason=None)
    closed = SeasonClosed(standings=(), master=None, fates=(fate,))
    held: list[bool] = []
    FateAudit().check(closed, {number: night}, (), lambda holds, _: held.append(holds))
    assert all(held) == right


def test_a_result_that_was_corrected_and_not_counted_anew_is_found() -> None:
    season = season_with("counted", revised=True)
    rows = [row for row in season.rows if row.type != "award_revised"]
    faults = found_in(season, rows)
    assert faults
    assert all("is not counted by its current result" in what for what in faults)


def test_fates_out_of_order_or_of_other_tournaments_are_found() -> None:
    season = season_with("counted")
    stranger = {"tournament": "trn_" + "f" * 32, "fate": "cancelled", **NOBODY}
    assert found_in(season, closed_with(season, lambda known: [*known, stranger]))
    assert found_in(season, closed_with(season, lambda known: [*known, known[-1]]))
    assert found_in(season, closed_with(season, lambda known: known[::-1]))


def test_a_close_of_today_without_fates_is_found_and_an_old_one_is_not_held_to_them() -> None:
    """A season that knew its tournaments must close with fates, also with another version."""
    season = season_with("counted")
    rows = closed_with(season, lambda _: None)
    assert found_in(season, rows)

    old = [_as_before(row) for row in rows if row.type != "tournament_added"]
    assert found_in(season, old) == []
    told = [_as_before(row) for row in rows]
    assert found_in(season, told) == ["the season was closed without the fates of its tournaments"]


def _as_before(row: Recorded) -> Recorded:
    """Return the end of a season in the form of version 2."""
    if row.type != "season_closed":
        return row
    data = msgspec.json.decode(row.data)
    del data["fates"]
    return row._replace(data=encode(data), schema_version=2)
