"""
The deciding hand for players tied for the first place: its players, and the cases without one.

In the bundle, two players have 40 chips each after two hands. The ante is 5, and a street costs 2.
"""

from collections.abc import Callable
from typing import Any

import pytest

from tests.verifier.forging import PUBLIC, Forgery
from tests.verifier.loading import bundle, verifier

Fault = Callable[[Forgery], None]


def play_off(forged: Forgery) -> Any:
    return next(event for event in forged.events("hand_opened") if event["data"]["stage"] == 2)


def rulesets(forged: Forgery) -> list[Any]:
    """Return the tournament's ruleset, as announced and as its table plays it."""
    table = play_off(forged)["stream"]
    opened = next(event for event in forged.events("table_opened") if event["stream"] == table)
    tournament = opened["data"]["tournament"]
    announced = (event["data"] for event in forged.events("tournament_announced"))
    return [
        next(data for data in announced if data["tournament"] == tournament)["ruleset"],
        opened["data"]["ruleset"],
    ]


def found(forged: Forgery, rule: str) -> list[Any]:
    report = verifier.verify(forged.write(), [PUBLIC])
    assert report.authentic
    return [position for position, named, _ in report.differences if named == rule]


def test_a_hand_that_parts_those_tied_for_the_first_place_passes() -> None:
    report = verifier.verify(Forgery(bundle("play_off")).write(), [PUBLIC])
    assert report.differences == []
    assert report.status() == verifier.PASS


def a_third_stage(forged: Forgery) -> None:
    play_off(forged)["data"]["stage"] = 3


def others_are_to_follow(forged: Forgery) -> None:
    play_off(forged)["data"]["last"] = False


def they_were_to_share(forged: Forgery) -> None:
    for ruleset in rulesets(forged):
        ruleset["final_tie"] = "shared"


def the_price_is_not_fixed(forged: Forgery) -> None:
    rulesets(forged)[0]["betting"]["kind"] = "poker_nl"


def they_are_not_level(forged: Forgery) -> None:
    play_off(forged)["data"]["seats"][0]["pots_won"] += 1


def one_of_them_is_not_dealt_in(forged: Forgery) -> None:
    play_off(forged)["data"]["seats"][0]["dealt"] = False


@pytest.mark.parametrize(
    "fault",
    [
        a_third_stage,
        others_are_to_follow,
        they_were_to_share,
        the_price_is_not_fixed,
        they_are_not_level,
        one_of_them_is_not_dealt_in,
    ],
)
def test_a_hand_that_is_not_due_so_is_found_and_named(fault: Fault) -> None:
    forged = Forgery(bundle("play_off"))
    position = play_off(forged)["position"]
    fault(forged)
    assert position in found(forged, "finish.ties")


@pytest.mark.parametrize(("cost", "plays"), [(17, True), (18, False)])
def test_nobody_plays_on_who_could_lose_the_last_chip(cost: int, plays: bool) -> None:
    forged = Forgery(bundle("play_off"))
    rulesets(forged)[0]["betting"]["cost"] = cost
    rulesets(forged)[0]["forced"]["amount"] = 5
    assert found(forged, "finish.ties") == ([] if plays else [play_off(forged)["position"]])


def test_a_hand_after_the_last_one_that_parts_nobody_is_found() -> None:
    forged = Forgery(bundle("play_off"))
    opened = play_off(forged)
    opened["data"]["stage"] = 1
    assert opened["position"] in found(forged, "finish.each_dealt_once")


def test_a_tie_that_is_not_played_off_is_found() -> None:
    forged = Forgery(bundle("play_off"))
    opened = play_off(forged)
    finished = [
        e for e in forged.events("tournament_finished") if e["position"] > opened["position"]
    ]
    for line in forged.lines:
        if line.get("stream") != opened["stream"] or line["version"] < opened["version"]:
            continue
        if line["type"] != "table_closed":
            line["type"], line["data"] = "table_resumed", {"type": "table_resumed"}
    assert finished[0]["position"] in found(forged, "finish.ties")
