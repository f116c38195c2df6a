"""The verifier checks where a public beacon is mixed in, and names each fault."""

from collections.abc import Callable
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Any

import pytest

from tests.verifier.forging import PUBLIC, Forgery
from tests.verifier.loading import KEYS, bundle, verifier

Fault = Callable[[Forgery], None]
FAULTS: list[Any] = []


def fault(rule: str) -> Callable[[Fault], Fault]:
    def planted(change: Fault) -> Fault:
        FAULTS.append(pytest.param(rule, change, id=change.__name__))
        return change

    return planted


def exchange(one: Any, other: Any, *names: str) -> None:
    for name in names:
        one[name], other[name] = other[name], one[name]


# -- the beacon of a deal


@fault("beacon.round")
def a_deal_by_a_later_round(forged: Forgery) -> None:
    forged.data("table_beacon_awaited")["round"] += 1


@fault("beacon.round")
def a_round_that_was_asked_for_at_another_instant(forged: Forgery) -> None:
    forged.data("table_beacon_awaited")["at"] = "2026-11-21T23:39:32.080039Z"


@fault("beacon.deals")
def a_deal_by_another_round_than_the_one_named(forged: Forgery) -> None:
    forged.data("table_beacon_mixed")["pulse"]["round"] += 1


@fault("generator.piles")
def a_deck_by_another_round_than_the_one_named(forged: Forgery) -> None:
    forged.data("table_beacon_mixed")["pulse"]["round"] += 1


@fault("beacon.value")
def another_randomness_than_that_of_the_signature(forged: Forgery) -> None:
    forged.data("table_beacon_mixed")["pulse"]["randomness"] = "0" * 64


@fault("generator.piles")
def a_signature_with_its_randomness_of_another_round(forged: Forgery) -> None:
    seats = forged.data("beacon_recorded")["pulse"]
    pulse = forged.data("table_beacon_mixed")["pulse"]
    pulse["signature"], pulse["randomness"] = seats["signature"], seats["randomness"]


@fault("beacon.deals")
def openings_that_change_after_the_round_was_named(forged: Forgery) -> None:
    forged.data("table_beacon_awaited")["openings"][0]["value"] = "1" * 64


@fault("beacon.deals")
def an_opening_more_when_the_round_was_named(forged: Forgery) -> None:
    forged.data("table_beacon_awaited")["openings"].append({"seat": 3, "value": "1" * 64})


@fault("beacon.deals")
def an_omission_that_was_not_settled_when_the_round_was_named(forged: Forgery) -> None:
    forged.data("table_beacon_awaited")["omissions"].clear()


@fault("beacon.deals")
def a_round_that_was_named_for_another_deal(forged: Forgery) -> None:
    forged.data("table_beacon_awaited")["deal"] = 2


@fault("beacon.deals")
def another_beacon_than_the_one_of_the_terms(forged: Forgery) -> None:
    forged.data("table_beacon_mixed")["chain"]["hash"] = "0" * 64


@fault("beacon.deals")
def a_deal_that_nothing_was_mixed_into(forged: Forgery) -> None:
    event = forged.events("table_beacon_mixed")[0]
    event["type"] = "table_resumed"
    event["data"] = {"type": "table_resumed"}


@fault("beacon.deals")
def a_round_that_is_not_right_behind_its_deal(forged: Forgery) -> None:
    mixed, posted = forged.events("table_beacon_mixed")[0], forged.events("forced_bets_posted")[0]
    exchange(mixed, posted, "type", "data", "schema_version")


@fault("beacon.deals")
def a_deal_that_no_round_was_named_for(forged: Forgery) -> None:
    event = forged.events("table_beacon_awaited")[0]
    event["type"] = "table_resumed"
    event["data"] = {"type": "table_resumed"}


@fault("beacon.deals")
def a_beacon_that_the_terms_do_not_name(forged: Forgery) -> None:
    forged.data("beacon_named")["chain"] = None


# -- the beacon of the seat draw


@fault("beacon.round")
def seats_by_a_later_round(forged: Forgery) -> None:
    forged.data("beacon_awaited")["round"] += 1


@fault("beacon.round")
def seats_by_another_round_than_the_one_named(forged: Forgery) -> None:
    forged.data("beacon_recorded")["pulse"]["round"] += 1


@fault("beacon.value")
def seats_by_another_randomness(forged: Forgery) -> None:
    forged.data("beacon_recorded")["pulse"]["randomness"] = "0" * 64


@fault("beacon.seats")
def somebody_commits_when_the_round_is_named(forged: Forgery) -> None:
    closed, asked = forged.events("registration_closed")[0], forged.events("beacon_awaited")[0]
    committed = forged.events("entropy_committed")[-1]
    exchange(committed, asked, "type", "data", "schema_version")
    exchange(committed, closed, "type", "data", "schema_version")


@fault("beacon.seats")
def seats_drawn_before_the_round_was_there(forged: Forgery) -> None:
    recorded, drawn = forged.events("beacon_recorded")[0], forged.events("seats_drawn")[0]
    exchange(recorded, drawn, "type", "data", "schema_version")


@fault("beacon.named")
def a_beacon_named_after_the_announcement(forged: Forgery) -> None:
    named, opened = forged.events("beacon_named")[0], forged.events("registration_opened")[0]
    exchange(named, opened, "type", "data", "schema_version")


@fault("beacon.deals")
def a_round_named_while_a_hand_is_in_play(forged: Forgery) -> None:
    event, asked = forged.events("selections_closed")[0], forged.events("table_beacon_awaited")[0]
    event["type"], event["data"] = asked["type"], dict(asked["data"], hand_number=2)


# -- the instants in the log


def told_later(forged: Forgery, kind: str, microseconds: int) -> int:
    """Date the first event of *kind* so long after its ``at``. Shift its stream from there on."""
    event = forged.events(kind)[0]
    by = timedelta(microseconds=microseconds) - (
        instant(event["at"]) - instant(event["data"]["at"])
    )
    for line in forged.lines:
        if line.get("stream") == event["stream"] and line["version"] >= event["version"]:
            line["at"] = (instant(line["at"]) + by).isoformat().replace("+00:00", "Z")
    position: int = event["position"]
    return position


def instant(text: str) -> datetime:
    return datetime.fromisoformat(text)


@pytest.mark.parametrize("kind", ["table_beacon_awaited", "beacon_awaited"])
def test_a_round_named_by_an_instant_long_past_is_found(kind: str) -> None:
    forged = Forgery(bundle("beacon"))
    position = told_later(forged, kind, 60_000_001)
    report = verifier.verify(forged.write(), [PUBLIC])
    assert [found[:2] for found in report.differences] == [(position, "beacon.round")]


@pytest.mark.parametrize("kind", ["table_beacon_awaited", "beacon_awaited"])
def test_a_minute_between_naming_a_round_and_the_log_is_no_fault(kind: str) -> None:
    forged = Forgery(bundle("beacon"))
    told_later(forged, kind, 60_000_000)
    report = verifier.verify(forged.write(), [PUBLIC])
    assert report.authentic
    assert report.differences == []


@pytest.mark.parametrize(("rule", "change"), FAULTS)
def test_a_planted_fault_is_found_and_its_rule_is_named(rule: str, change: Fault) -> None:
    forged = Forgery(bundle("beacon"))
    change(forged)
    report = verifier.verify(forged.write(), [PUBLIC])
    assert report.authentic
    assert rule in {found for _, found, _ in report.differences}


@pytest.mark.parametrize("name", ["beacon", "beacon_hand"])
def test_nothing_differs_where_the_beacon_was_followed(name: str) -> None:
    report = verifier.verify(bundle(name), KEYS)
    assert report.differences == []
    assert report.authentic
    assert report.status() == verifier.INCOMPLETE
    assert report.checked["rules: beacon"] > 0


def test_written_anew_without_a_fault_nothing_differs() -> None:
    assert verifier.verify(Forgery(bundle("beacon")).write(), [PUBLIC]).differences == []


def test_a_signature_that_the_beacons_key_did_not_make_is_found() -> None:
    pytest.importorskip("py_arkworks_bls12381")
    forged = Forgery(bundle("beacon"))
    seats, pulse = (
        forged.data("beacon_recorded")["pulse"],
        forged.data("table_beacon_mixed")["pulse"],
    )
    pulse["signature"] = seats["signature"]
    pulse["randomness"] = sha256(bytes.fromhex(seats["signature"])).hexdigest()
    report = verifier.verify(forged.write(), [PUBLIC])
    assert "beacon.value" in {found for _, found, _ in report.differences}
