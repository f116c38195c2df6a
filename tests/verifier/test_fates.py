"""At its close, a season gives every tournament announced for it a fate, and a true one."""

from collections.abc import Callable
from functools import cache
from types import SimpleNamespace
from typing import Any

import pytest

from service.sandbox.generating.seasons import made
from tests.verifier.forging import PUBLIC, Forgery
from tests.verifier.loading import bundle, verifier

CANCELLED, LEFT_OUT, NOT_PLAYED = (1, 0.6), (2, 0.6), (21, 0.6)
"""Seeds and chaos of seasons that contain a tournament with this fate."""

SOMEBODY = f"plr_{'5' * 32}"
HOUSE_BOT = "plr_686f75736562800383aaec1436590001"


@cache
def season(seed: int, chaos: float) -> bytes:
    return b"".join(made(seed, 5, chaos).lines)


def fates(forged: Forgery) -> list[Any]:
    found: list[Any] = forged.data("season_closed")["fates"]
    return found


def fate(forged: Forgery, kind: str) -> Any:
    return next(each for each in fates(forged) if each["fate"] == kind)


def none_at_all(forged: Forgery) -> None:
    forged.data("season_closed")["fates"] = None


def one_missing(forged: Forgery) -> None:
    fates(forged).pop()


def one_twice(forged: Forgery) -> None:
    fates(forged).insert(0, fates(forged)[0])


def in_another_order(forged: Forgery) -> None:
    fates(forged).reverse()


def cancelled_that_was_counted(forged: Forgery) -> None:
    fate(forged, "counted")["fate"] = "cancelled"


def counted_that_was_cancelled(forged: Forgery) -> None:
    fate(forged, "cancelled")["fate"] = "counted"


def left_out_that_was_counted(forged: Forgery) -> None:
    reason = forged.data("dispute_ruled")["reason"]
    fate(forged, "counted").update(fate="left_out", by=SOMEBODY, reason=reason)


def not_played_that_was_left_out(forged: Forgery) -> None:
    fate(forged, "left_out").update(fate="not_played", by=None, reason=None)


def left_out_by_nobody(forged: Forgery) -> None:
    fate(forged, "left_out")["by"] = None


def left_out_that_was_not_played(forged: Forgery) -> None:
    fate(forged, "not_played")["by"] = SOMEBODY


def of_another_season(forged: Forgery) -> None:
    forged.data("tournament_announced")["season"] = f"ssn_{'5' * 32}"


def corrected_and_not_counted_anew(forged: Forgery) -> None:
    """Insert a result with another winner after the award that counts, and before the close."""
    corrected = {event["stream"] for event in forged.events("result_corrected")}
    counted = {
        f"tournament-{each['tournament'][4:]}"
        for each in fates(forged)
        if each["fate"] == "counted"
    }
    finished = next(
        each
        for each in forged.events("tournament_finished")
        if each["stream"] in counted - corrected
    )
    first, last = finished["data"]["placings"][0], finished["data"]["placings"][-1]
    first["player"], last["player"] = last["player"], first["player"]


FALSE = [
    (CANCELLED, none_at_all),
    (CANCELLED, one_missing),
    (CANCELLED, one_twice),
    (CANCELLED, in_another_order),
    (CANCELLED, cancelled_that_was_counted),
    (CANCELLED, counted_that_was_cancelled),
    (CANCELLED, left_out_that_was_counted),
    (CANCELLED, of_another_season),
    (NOT_PLAYED, corrected_and_not_counted_anew),
    (LEFT_OUT, not_played_that_was_left_out),
    (LEFT_OUT, left_out_by_nobody),
    (NOT_PLAYED, left_out_that_was_not_played),
]


@pytest.mark.parametrize(("made_up", "change"), FALSE)
def test_a_missing_or_false_fate_is_found(
    made_up: tuple[int, float], change: Callable[[Forgery], None]
) -> None:
    forged = Forgery(season(*made_up))
    change(forged)
    report = verifier.verify(forged.write(), [PUBLIC])
    assert report.authentic
    assert "standings.uncounted" in {rule for _, rule, _ in report.differences}


@pytest.mark.parametrize("made_up", [CANCELLED, LEFT_OUT, NOT_PLAYED])
def test_true_fates_of_every_kind_are_passed(made_up: tuple[int, float]) -> None:
    forged = Forgery(season(*made_up))
    kinds = {each["fate"] for each in fates(forged)}
    report = verifier.verify(forged.write(), [PUBLIC])
    due = {CANCELLED: "cancelled", LEFT_OUT: "left_out", NOT_PLAYED: "not_played"}[made_up]
    assert {"counted", due} <= kinds
    assert report.differences == []
    assert report.checked["rules: standings"] > 0


@pytest.mark.parametrize(
    ("players", "due"),
    [
        ((HOUSE_BOT, f"{HOUSE_BOT[:-1]}2"), ["not_played", None, None]),
        ((HOUSE_BOT, SOMEBODY), None),
    ],
)
def test_only_a_night_of_house_bots_alone_closes_as_not_played(
    players: tuple[str, ...], due: list[Any] | None
) -> None:
    of_season = object.__new__(verifier.Fates)
    entered = [
        SimpleNamespace(type="entrant_registered", data={"entrant": player, "player": player})
        for player in players
    ]
    played = [SimpleNamespace(type=each) for each in ("play_started", "tournament_finished")]
    of_season.ledger, of_season.streams = {}, {"trn_1": [*entered, *played]}
    assert of_season.due("trn_1") == due


def test_a_tournament_with_a_fate_that_is_not_in_the_bundle_is_missed() -> None:
    forged = Forgery(season(*CANCELLED))
    forged.leave_out(f"tournament-{fate(forged, 'cancelled')['tournament'][4:]}")
    report = verifier.verify(forged.write(), [PUBLIC])
    assert "completeness" in {rule for _, rule, _ in report.differences}


def test_a_dispute_that_froze_something_is_missed() -> None:
    forged = Forgery(season(*CANCELLED))
    frozen = forged.data("result_frozen")["dispute"]
    forged.leave_out(f"dispute-{frozen[4:]}")
    report = verifier.verify(forged.write(), [PUBLIC])
    assert "completeness" in {rule for _, rule, _ in report.differences}


def test_an_act_of_a_ruling_that_was_not_done_is_found() -> None:
    forged = Forgery(season(*CANCELLED))
    ruled = next(e["data"] for e in forged.events("dispute_ruled") if e["data"]["acts"])
    ruled["acts"] = [*ruled["acts"], ruled["acts"][0]]
    report = verifier.verify(forged.write(), [PUBLIC])
    assert "disputes.ruling" in {rule for _, rule, _ in report.differences}


def test_seasons_closed_before_there_were_fates_are_not_asked_for_any() -> None:
    """The bundle's format had no fates, and its close has an older schema version."""
    forged = Forgery(bundle("lots"))
    closed = forged.events("season_closed")[0]
    report = verifier.verify(forged.write(), [PUBLIC])
    assert closed["schema_version"] < 3
    assert report.differences == []
