"""A casino: players who come, add chips and leave, their chips, and their ranking by these."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.verifier.forging import PUBLIC, Forgery
from tests.verifier.loading import bundle, verifier

Fault = Callable[[Forgery], int]
FAULTS: list[Any] = []


def fault(rule: str, name: str = "casino") -> Callable[[Fault], Fault]:
    """Plant a fault in bundle *name*. It returns the position where *rule* must be named."""

    def planted(change: Fault) -> Fault:
        FAULTS.append(pytest.param(name, rule, change, id=change.__name__))
        return change

    return planted


def first(forged: Forgery, kind: str, **members: object) -> Any:
    """Return the first event of *kind* with these *members*."""
    found = (
        event
        for event in forged.events(kind)
        if all(event["data"][name] == value for name, value in members.items())
    )
    return next(found)


def position(event: Any) -> int:
    found: int = event["position"]
    return found


def becomes(event: Any, kind: str) -> int:
    """Replace *event* with an empty one of *kind*. Return its position."""
    event["type"], event["data"] = kind, {"type": kind}
    return position(event)


@fault("casino.cash_out")
def somebody_takes_away_a_chip_more(forged: Forgery) -> int:
    event = first(forged, "entrant_cashed_out")
    event["data"]["stack"] += 1
    return position(event)


@fault("casino.cash_out")
def somebody_leaves_and_nobody_says_with_what(forged: Forgery) -> int:
    becomes(first(forged, "entrant_cashed_out"), "tournament_resumed")
    return position(first(forged, "seats_vacated"))


@fault("casino.cash_out")
def somebody_is_paid_who_sits_there_still(forged: Forgery) -> int:
    gone = {event["data"]["entrant"] for event in forged.events("entrant_cashed_out")}
    placings = forged.data("tournament_finished")["placings"]
    event = first(forged, "entrant_cashed_out")
    event["data"]["entrant"] = next(p["entrant"] for p in placings if p["entrant"] not in gone)
    return position(event)


@fault("casino.leave")
def somebody_is_sent_away(forged: Forgery) -> int:
    becomes(first(forged, "leave_declared"), "tournament_resumed")
    return position(first(forged, "entrant_cashed_out"))


@fault("casino.leave")
def somebody_folds_out_of_turn_without_leaving(forged: Forgery) -> int:
    quits = first(forged, "hand_quit")
    said = first(forged, "leave_declared", entrant=quits["data"]["entrant"])
    others = [e["data"]["entrant"] for e in forged.events("entrant_registered")]
    said["data"]["entrant"] = next(e for e in others if e != quits["data"]["entrant"])
    return position(quits)


@fault("casino.sit_down")
def somebody_sits_down_in_another_seat(forged: Forgery) -> int:
    event = first(forged, "chips_promised", newcomer=True)
    event["data"]["seat"] += 1
    return position(event)


@fault("casino.sit_down")
def somebody_sits_down_with_more_than_a_stack(forged: Forgery) -> int:
    event = first(forged, "chips_promised", newcomer=True)
    event["data"]["chips"] += 1
    return position(event)


@fault("casino.sit_down")
def somebody_comes_again_who_has_not_left(forged: Forgery) -> int:
    entered = forged.events("entrant_registered")
    gone = {event["data"]["entrant"] for event in forged.events("entrant_cashed_out")}
    stays = next(e["data"]["player"] for e in entered if e["data"]["entrant"] not in gone)
    entered[-1]["data"]["player"] = stays
    return position(entered[-1])


@fault("casino.add_on")
def more_chips_come_than_were_promised(forged: Forgery) -> int:
    event = first(forged, "chips_brought", rule="casino.add_on")
    event["data"]["chips"] += 1
    return position(event)


@fault("casino.add_on")
def chips_come_to_the_table_that_nobody_promised(forged: Forgery) -> int:
    becomes(first(forged, "chips_brought", rule="casino.add_on"), "tournament_resumed")
    return position(first(forged, "table_opened"))


@fault("casino.add_on")
def promised_chips_that_never_come(forged: Forgery) -> int:
    becomes(first(forged, "chips_brought", rule="casino.add_on"), "tournament_resumed")
    return position(first(forged, "tournament_finished"))


@fault("finish.ties")
def places_by_what_was_brought_besides(forged: Forgery) -> int:
    event = first(forged, "tournament_finished")
    placings = event["data"]["placings"]
    placings[0]["place"], placings[1]["place"] = placings[1]["place"], placings[0]["place"]
    return position(event)


@fault("finish.ties", "casino_closed")
def another_place_in_a_casino_that_was_closed(forged: Forgery) -> int:
    event = first(forged, "tournament_finished")
    placings = event["data"]["placings"]
    placings[0]["place"], placings[-1]["place"] = placings[-1]["place"], placings[0]["place"]
    return position(event)


@fault("casino")
def a_casino_that_ends_by_itself(forged: Forgery) -> int:
    event = first(forged, "tournament_finished")
    event["data"]["rule"] = "finish.last_entrant"
    return position(event)


@pytest.mark.parametrize(("name", "rule", "change"), FAULTS)
def test_a_planted_fault_is_found_where_it_is(name: str, rule: str, change: Fault) -> None:
    forged = Forgery(bundle(name))
    due = change(forged)
    report = verifier.verify(forged.write(), [PUBLIC])
    assert report.authentic
    assert (due, rule) in {found[:2] for found in report.differences}


@pytest.mark.parametrize("name", ["casino", "casino_closed"])
def test_a_casino_of_a_made_up_season_passes(name: str) -> None:
    report = verifier.verify(bundle(name), [PUBLIC])
    assert report.differences == []
    assert report.status() == verifier.PASS
