"""The verifier adds up the extensions of entry, and knows a postponed start."""

from datetime import datetime, timedelta
from typing import Any

import pytest

from tests.verifier.forging import PUBLIC, Forgery
from tests.verifier.loading import bundle, verifier

POSTPONED_BY = timedelta(hours=1)


@pytest.fixture(scope="module")
def played() -> Forgery:
    """A tournament with an offer of a place, and with late registration by time."""
    return Forgery(bundle("terms_changed"))


@pytest.fixture
def forged(played: Forgery) -> Forgery:
    return played.copy()


def told(at: datetime) -> str:
    return at.isoformat().replace("+00:00", "Z")


def named(forged: Forgery) -> bool:
    """Return whether the verifier names the rule of outages."""
    report = verifier.verify(forged.write(), [PUBLIC])
    assert report.authentic
    return "levels.outage" in {rule for _, rule, _ in report.differences}


def replaced(forged: Forgery, version: int, after: timedelta, **data: Any) -> None:
    """Put another event in the place of a tournament's event, and *after* its instant."""
    [event] = [
        each
        for each in forged.events()
        if each["stream"].startswith("tournament-") and each["version"] == version
    ]
    event["at"] = told(datetime.fromisoformat(event["at"]) + after)
    event |= {"type": data["type"], "schema_version": 1, "data": data}
    if data["type"].endswith("_extended"):
        data |= {"at": event["at"], "rule": "levels.outage"}


@pytest.mark.parametrize(
    ("from_the_start", "fault"),
    [
        pytest.param(timedelta(0), False, id="at the postponed start"),
        pytest.param(timedelta(microseconds=1), True, id="after the postponed start"),
    ],
)
def test_an_offer_may_last_until_a_postponed_start(
    forged: Forgery, from_the_start: timedelta, fault: bool
) -> None:
    first = forged.data("tournament_announced")["starts_at"]
    start = datetime.fromisoformat(first) + POSTPONED_BY
    replaced(
        forged, 10, timedelta(0), type="start_postponed", until=told(start),
        registration_closes_at=told(start), check_in_opens_at=None, entrants=1, number=1,
        rule="registration.postponed",
    )  # fmt: skip
    until = told(start + from_the_start)
    offered = forged.data("place_offered")["entrant"]
    replaced(forged, 12, timedelta(hours=2), type="offer_extended", entrant=offered, until=until)
    assert named(forged) is fault


TOGETHER = [
    pytest.param(1, timedelta(0), False, id="one within a minute"),
    pytest.param(3, timedelta(0), True, id="three at the same instant"),
    pytest.param(3, timedelta(minutes=2), False, id="three in the time that has passed"),
]


@pytest.mark.parametrize(("count", "after", "fault"), TOGETHER)
def test_extensions_of_an_offer_add_up(
    forged: Forgery, count: int, after: timedelta, fault: bool
) -> None:
    offer = forged.data("place_offered")
    until = datetime.fromisoformat(offer["until"])
    for version in (12, 15, 16)[:count]:
        until += timedelta(seconds=50)
        replaced(
            forged, version, after, type="offer_extended", entrant=offer["entrant"],
            until=told(until),
        )  # fmt: skip
    assert named(forged) is fault


@pytest.mark.parametrize(("count", "after", "fault"), TOGETHER)
def test_extensions_of_late_registration_add_up(
    forged: Forgery, count: int, after: timedelta, fault: bool
) -> None:
    changed = forged.data("terms_changed", nth=-1)
    until = datetime.fromisoformat(changed["late_registration_until"])
    for version in (24, 25, 26)[:count]:
        until += timedelta(seconds=50)
        replaced(forged, version, after, type="late_registration_extended", until=told(until))
    assert named(forged) is fault
