"""Steps between two hands: their order, their end before the next hand, and the target of moves."""

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


def becomes(event: Any, kind: str, **members: Any) -> int:
    """Replace *event* with one of *kind* with *members*, and return its position."""
    event["type"], event["data"] = kind, members | {"type": kind}
    position: int = event["position"]
    return position


def behind(forged: Forgery, kind: str, event: Any) -> Any:
    """Return the first event of *kind* after *event*."""
    return next(each for each in forged.events(kind) if each["position"] > event["position"])


def dropped(forged: Forgery, kind: str, number: int = 0) -> int:
    """Replace an event of *kind* with one of no effect. Return the position of the next hand."""
    event = forged.events(kind)[number]
    becomes(event, "tournament_resumed")
    position: int = behind(forged, "hand_opened", event)["position"]
    return position


def broke_with_an_open_window(forged: Forgery) -> tuple[Any, Any]:
    """Return a leave and a later rebuy between the same two hands, with others at the table."""
    left = forged.events("leave_declared")[2]
    return left, behind(forged, "rebuy_taken", left)


def who_stays(forged: Forgery) -> str:
    """Return an entrant who sits from the first hand to the end, and adds chips in between."""
    name: str = forged.data("chips_brought", lambda data: data["rule"] == "casino.add_on")[
        "entrant"
    ]
    return name


@fault("casino.leave")
def who_has_declared_to_leave_is_in_the_next_hand(forged: Forgery) -> int:
    promised = forged.events("chips_promised")[0]
    becomes(promised, "leave_declared", **promised["data"])
    position: int = behind(forged, "hand_opened", promised)["position"]
    return position


@fault("casino.leave")
def chips_come_before_who_leaves_has_gone(forged: Forgery) -> int:
    promised = forged.events("chips_promised")[0]
    becomes(promised, "leave_declared", **promised["data"])
    position: int = behind(forged, "chips_brought", promised)["position"]
    return position


@fault("casino.leave")
def a_window_closes_before_who_leaves_has_gone(forged: Forgery) -> int:
    left, bought = broke_with_an_open_window(forged)
    left["data"]["entrant"] = who_stays(forged)
    return becomes(bought, "entrant_cashed_out", stack=0, **bought["data"])


@fault("casino.add_on")
def a_window_closes_before_promised_chips_have_come(forged: Forgery) -> int:
    left, bought = broke_with_an_open_window(forged)
    promised = forged.data("chips_promised") | {"entrant": who_stays(forged)}
    becomes(left, "chips_promised", **promised)
    return becomes(bought, "entrant_cashed_out", stack=0, **bought["data"])


@fault("casino.add_on")
def promised_chips_that_have_not_come_before_the_next_hand(forged: Forgery) -> int:
    return dropped(forged, "chips_brought", 0)


@fault("casino.sit_down")
def a_newcomer_who_does_not_sit_when_the_next_hand_is_opened(forged: Forgery) -> int:
    return dropped(forged, "chips_brought", 1)


@fault("entry.late", "late")
def a_late_player_who_waits_for_a_hand_more(forged: Forgery) -> int:
    stream = "table-" + forged.events("chips_brought")[0]["data"]["table"][4:]
    first = dropped(forged, "chips_brought")
    hands = [e for e in forged.events("hand_opened") if e["stream"] == stream]
    position: int = next(e["position"] for e in hands if e["position"] >= first)
    return position


@fault("rebuy.window")
def a_hand_that_is_opened_while_somebody_may_buy_back(forged: Forgery) -> int:
    return dropped(forged, "rebuy_taken")


@fault("seating.break_table", "floor")
def two_moves_to_each_others_tables(forged: Forgery) -> int:
    where = [e for e in forged.events("table_broken") if len(e["data"]["moves"]) > 1]
    broken = next(e for e in where if len({m["to_table"] for m in e["data"]["moves"]}) > 1)
    one, other = broken["data"]["moves"]
    for name in ("to_table", "to_seat"):
        one[name], other[name] = other[name], one[name]
    position: int = broken["position"]
    return position


@pytest.mark.parametrize(("name", "rule", "change"), FAULTS)
def test_a_planted_fault_is_found_where_it_is(name: str, rule: str, change: Fault) -> None:
    forged = Forgery(bundle(name))
    due = change(forged)
    report = verifier.verify(forged.write(), [PUBLIC])
    assert report.authentic
    assert (due, rule) in {found[:2] for found in report.differences}
