"""
An evening of 24 phones, played through the pages from the invitation to the last place.

A hand of each of the ten rulesets is played by touch in ``test_table.py``.
"""

import os
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from statistics import median
from typing import Any

import httpx
import pytest
from playwright.sync_api import Browser, Page

from tests.browser.evening import Phone, Server, Traffic
from tests.browser.house import House, Person
from tests.browser.scenery import eventually

PHONES = 24
STACK = 100
AMOUNTS = ((2, 4), (5, 10), (10, 20), (25, 50), (50, 100), (100, 200), (200, 400))
LEVELS = [{"small": small, "big": big, "length": 1} for small, big in AMOUNTS]
"""A level for each hand, so that an evening has few hands on a slow machine too."""

CHECK_IN = {"check_in_opens_before_seconds": 7200}
ACTS = ("seat_acted", "selection_committed", "improvement_committed")
PHONE_DIES, SERVER_DIES = 60, 160
"""The numbers of actions after which a phone or the server dies."""

STILL_SECONDS = 90.0
"""The longest time in which nobody acts."""

BACK_SECONDS = 40.0
"""The longest time in which a page must be back by itself, once the server is up again."""

SHOTS = os.environ.get("EVENING_SHOTS")
"""A folder for pictures of the phones, to look at."""


@dataclass
class Evening:
    """Phones that play, and the owner's page, which waits for the end."""

    house: House
    owner: Person
    league: str
    tournament: str
    desk: Page
    traffic: Traffic = field(default_factory=Traffic)
    phones: list[Phone] = field(default_factory=list)
    reloaded: int = 0
    """Phones that went to another page while the server was away. Browsers do not retry that."""

    told: list[str] = field(default_factory=list)
    """The complaints of pages that are closed by now."""

    def arrive(self, count: int) -> None:
        """Let newcomers sign up by the invitation, enter, and check in."""
        asked = {"uses": count}
        code = self.owner.post(f"/v1/leagues/{self.league}/invitations", asked)["code"]
        for number in range(1, count + 1):
            login = f"phone{number}-{self.league[-8:]}"
            self.phones.append(Phone(self.house, self.traffic, login, f"Guest {number}"))
            self.phones[-1].join(code, self.tournament)

    def come(self, count: int) -> None:
        """Enter members, whose phones show the poster."""
        for number in range(1, count + 1):
            person = self.house.join(self.owner, self.league, name=f"Guest {number}")
            person.post(f"/v1/tournaments/{self.tournament}/registrations")
            phone = Phone(self.house, self.traffic, person.login, person.name, person)
            phone.page.goto(f"/tournaments/{self.tournament}")
            self.phones.append(phone)

    def begin(self) -> None:
        """Start the tournament. The posters on the phones then lead to the tables."""
        self.owner.post(f"/v1/tournaments/{self.tournament}/start")

    def play(self, until: Callable[[], bool]) -> None:
        """Let the phones play, and take their reports, until a condition holds."""
        acts, moved = len(self.traffic.acknowledged), time.monotonic()
        while not until():
            self.desk.wait_for_timeout(100)  # the phones play by themselves meanwhile
            if len(self.traffic.acknowledged) > acts:
                acts, moved = len(self.traffic.acknowledged), time.monotonic()
            assert time.monotonic() < moved + STILL_SECONDS, self.shown()

    def acts(self, count: int) -> Callable[[], bool]:
        """Return whether this many actions were acknowledged."""
        return lambda: len(self.traffic.acknowledged) >= count

    def over(self) -> bool:
        """Return whether the owner's page shows the end."""
        return self.desk.locator(".head-over").inner_text().lower() == "finished"

    def shown(self) -> str:
        """Return what the phones show, for the message of a failed test."""
        texts = [f"{each.name} {each.page.url}\n{each.page.inner_text('body')[:300]}"
                 for each in self.phones]  # fmt: skip
        return "\n\n".join([str(self.traffic.requests), *self.traffic.refused[-9:], *texts])

    def renewed_since(self, moment: float) -> list[float]:
        """Return when each phone was answered after *moment*, for those that were."""
        times = (self.traffic.renewed.get(each.login, 0.0) for each in self.phones)
        return [each - moment for each in times if each > moment]

    def pictures(self, when: str) -> None:
        """Keep pictures of the phones, if a folder is given."""
        if SHOTS is not None:
            for each in self.phones[:8]:
                name = each.name.lower().replace(" ", "-")
                each.page.screenshot(path=Path(SHOTS) / f"{when}-{name}.png")

    def complaints(self) -> list[str]:
        """Return the complaints of the pages, and close them."""
        return [*self.told, *self.house.close()]


def evening(house: House, **terms: Any) -> Evening:
    """Found a league and announce an evening in it."""
    owner, league = house.league()
    soon = datetime.now(UTC) + timedelta(hours=1)
    levels = [*LEVELS, {"small": 400, "big": 800}]
    tournament = house.evening(
        owner, league, starts_at=soon.isoformat(), ruleset="better_simple", starting_stack=STACK,
        decision_seconds=600, hands_between_seconds=1,
        overrides={"escalation": {"kind": "levels", "by": "hands", "levels": levels}}, **terms,
    )  # fmt: skip
    desk = house.open(owner).context.new_page()
    desk.goto(f"/tournaments/{tournament}")
    return Evening(house, owner, league, tournament, desk)


@pytest.fixture
def server(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server of the test's own, because it is killed."""
    running = Server(tmp_path_factory.mktemp("e") / "d")
    running.start()
    try:
        eventually(running.up)
        yield running
    finally:
        running.stop()


@pytest.mark.long
@pytest.mark.slow
def test_four_phones_play_an_evening_at_two_tables_to_its_end(house: House) -> None:
    night = evening(house, entrants_max=4, table_seats=2)
    night.come(4)
    night.begin()
    night.play(night.over)
    said = sorted(each.page.locator(".play-notes strong").inner_text() for each in night.phones)
    outs = [f"You are out, in place {each} of 4." for each in (2, 3, 4)]
    assert said == [*outs, "You have won."]
    proved(night)


@pytest.mark.long
def test_24_phones_play_an_evening_in_which_a_phone_and_the_server_are_killed(
    server: Server, browser: Browser
) -> None:
    began = time.monotonic()
    with httpx.Client(base_url=server.url, timeout=30, trust_env=False) as http:
        house = House(server.url, browser, http)
        night = evening(house, entrants_max=PHONES, table_seats=6, entry=CHECK_IN)
        night.arrive(PHONES)
        arrived = time.monotonic()
        night.begin()
        night.play(night.acts(PHONE_DIES))
        killed_phone(night, night.phones[0])
        night.play(night.acts(SERVER_DIES))
        night.pictures("middle")
        memory = server.memory()
        away, back = killed_server(night, server)
        night.play(night.over)
        ended = time.monotonic()
        night.pictures("end")
        proved(night)
        assert [each for each in night.complaints() if "net::" not in each] == []
    print(
        f"{arrived - began:.0f} s to arrive, {ended - arrived:.0f} s to play, "
        f"{len(night.traffic.acknowledged)} acts, {dict(night.traffic.requests)}, "
        f"server away {away:.1f} s, phones back {median(back):.1f} s after that, {max(back):.1f} s "
        f"at most, {night.reloaded} of them reloaded by hand, "
        f"memory {memory}, then {server.memory()} MiB, refused {night.traffic.refused}"
    )


def killed_phone(night: Evening, phone: Phone) -> None:
    """A phone breaks. Its owner signs in on another one."""
    night.told += phone.lose()
    phone.come_back()


def killed_server(night: Evening, server: Server) -> tuple[float, list[float]]:
    """
    Kill the server and start it again. Every page must come back by itself.

    Returns:
        The seconds for which it was away, and the seconds until each phone was up to date.
    """
    server.kill()
    killed = time.monotonic()
    server.start()
    night.play(lambda: _answers(night.house.http))
    up = time.monotonic()
    night.reloaded = sum(each.reload() for each in night.phones)
    night.play(lambda: len(night.renewed_since(killed)) == len(night.phones))
    back = [max(0.0, each) for each in night.renewed_since(up)]
    assert max(back) < BACK_SECONDS
    return up - killed, back


def _answers(http: httpx.Client) -> bool:
    with suppress(httpx.TransportError):
        return http.get("/readyz").is_success
    return False


def proved(night: Evening) -> None:
    """Check that everybody has a place, no action or chip is lost, and the audit passes."""
    phones = len(night.phones)
    for each in night.phones[:2]:
        each.page.goto(f"/tournaments/{night.tournament}/result")
        assert each.page.locator("main tbody tr").count() == phones
    shown = night.owner.get(f"/v1/tournaments/{night.tournament}")
    places = sorted(each["placing"] for each in shown["entrants"])
    assert len(places) == phones and places.count(1) == 1
    events = _events(night)
    players = {each["name"]: each["player"] for each in shown["entrants"]}
    by_login = {each.login: players[each.name] for each in night.phones}
    acts = [each["id"] for each in events if each["type"] in ACTS]
    assert len(acts) == len(set(acts))
    assert {each.event(by_login[each.login]) for each in night.traffic.acknowledged} <= set(acts)
    assert set(acts) <= {each.event(by_login[each.login]) for each in night.traffic.sent}
    asked = {"tournament": night.tournament}
    audit = night.owner.post(f"/v1/leagues/{night.league}/audits", asked)["operation"]
    done = eventually(lambda: _ended(night.owner.get(f"/v1/operations/{audit}")))
    assert done["result"]["passed"], done


def _events(night: Evening) -> list[Any]:
    """Return the events of all tables."""
    found: list[Any] = []
    for table in {each.table for each in night.traffic.sent}:
        cursor: str | None = None
        while True:
            after = "" if cursor is None else f"&after={cursor}"
            page = night.owner.get(f"/v1/tables/{table}/events?limit=200{after}")
            found += page["items"]
            cursor = page["next_cursor"]
            if not page["more"]:
                break
    return found


def _ended(operation: Any) -> Any:
    return operation if operation["state"] not in ("pending", "running") else None
