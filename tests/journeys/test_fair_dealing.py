"""The code in the guide to fair dealing, run unchanged by players."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from service.process.supervisor import Stack
from service.sandbox.bots.player import Temper, choose
from tests.support.waiting import until

pytestmark = pytest.mark.slow

GUIDE = Path(__file__).resolve().parents[2] / "docs" / "guides" / "fair-dealing.md"
OPTIONS = {
    "tick_milliseconds": 50, "sweep_seconds": 1, "worker_processes": 1, "log_level": "warning",
}  # fmt: skip
TEMPER = Temper(boldness=0.0, patience=1.0)
PLAYERS = ("han", "lando", "qira")


def lines() -> dict[str, Any]:
    """Return the names that the guide's code blocks define. Each block runs by itself."""
    found: dict[str, Any] = {}
    for block in re.findall(r"```python\n(.*?)```", GUIDE.read_text("utf-8"), re.DOTALL):
        alone: dict[str, Any] = {}
        exec(block, alone)
        found |= alone
    return found


class Night:
    """Three players who contribute entropy, look at their cards, and play two hands."""

    def __init__(self, url: str) -> None:
        self.url, self.sent = url, 0
        self.people = {name: self.person(name) for name in ("host", *PLAYERS)}
        self.host = self.people["host"]
        self.league = self.post("host", "/v1/leagues", {"name": "Cloud City"})["id"]
        code = self.post("host", f"/v1/leagues/{self.league}/invitations", {"uses": 3})["code"]
        for name in PLAYERS:
            self.post(name, f"/v1/invitations/{code}/accept", {})
        self.tournament = self.announced()

    def announced(self) -> str:
        """Announce a tournament and enter the players."""
        terms = {"name": "Night", "ruleset": "better", "hands_max": 2, "hands_between_seconds": 0}
        made = self.post("host", f"/v1/leagues/{self.league}/tournaments", terms)
        for name in PLAYERS:
            self.post(name, f"/v1/tournaments/{made['id']}/registrations", {})
        return str(made["id"])

    def person(self, name: str) -> httpx.Client:
        api = httpx.Client(base_url=self.url, timeout=30)
        body = {"login": name, "password": "a long night ahead", "name": name}
        api.post("/v1/accounts", json=body)
        known = {"login": name, "password": body["password"]}
        token = api.post("/v1/tokens", json=known).json()["token"]
        api.headers["Authorization"] = f"Bearer {token}"
        return api

    def close(self) -> None:
        for each in self.people.values():
            each.close()

    def post(self, name: str, path: str, body: Any) -> Any:
        self.sent += 1
        key = {"Idempotency-Key": f"{name} {self.sent}"}
        answer = self.people[name].post(path, json=body, headers=key)
        assert answer.is_success, answer.text
        return answer.json()

    def get(self, path: str) -> Any:
        return self.host.get(path).json()

    def play(self, over: Callable[[], bool], table: str) -> None:
        def step() -> bool:
            for name in PLAYERS:
                view = self.people[name].get(f"/v1/tables/{table}").json()
                action = choose(view, TEMPER, name, 1)
                if action is not None:
                    self.post(name, f"/v1/tables/{table}/actions", action)
            return over()

        until(step, 60)


@pytest.fixture(scope="module")
def night(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Night]:
    directory = tmp_path_factory.mktemp("f") / "d"
    with Stack(directory, keep=False, durable=False, options=OPTIONS) as stack:
        playing = Night(stack.url)
        yield playing
        playing.close()


def test_players_contribute_check_every_card_and_deal_again(night: Night) -> None:
    """The players use only the guide's code: before, during and after the tournament."""
    guide, path = lines(), f"/v1/tournaments/{night.tournament}"
    own = {name: guide["contribute"](night.people[name], night.tournament) for name in PLAYERS}
    before = night.get(f"{path}/fairness")
    night.post("host", f"{path}/start", {})
    for name in PLAYERS:
        guide["reveal"](night.people[name], night.tournament, own[name])
    (table,) = [each["id"] for each in night.get(path)["tables"]]
    feed = f"/v1/tables/{table}/events?limit=200"

    def hands() -> list[dict[str, Any]]:
        items = night.get(feed)["items"]
        return [each["data"] for each in items if each["type"] == "hand_opened"]

    first = until(hands)[0]
    assert {each["value"] for each in first["openings"]} == {each.hex() for each in own.values()}
    until(lambda: night.host.get(f"/v1/hands/{first['hand']}").is_success)
    for name in PLAYERS:
        assert guide["check"](night.people[name], table, first["hand"]) == 5

    night.play(lambda: bool(night.get(path)["state"] == "finished"), table)
    night.post("host", f"{path}/seeds/publish", {})
    shown = night.get(f"{path}/fairness")
    assert shown["cards_commitment"] == before["cards_commitment"]
    dealt = 0
    for opened in hands():
        cards = guide["deal"](night.tournament, shown, 1, opened)
        assert sorted(cards) == sorted(guide["D62"])
        for name in PLAYERS:
            items = night.people[name].get(feed).json()["items"]
            start = next(i for i, each in enumerate(items) if each["data"] == opened)
            for item in items[start + 1 :]:
                if item["type"] == "hand_opened":
                    break
                for card in guide["seen"](item):
                    assert card["pile"] != 1 or cards[card["position"]] == card["card"]
                    dealt += card["pile"] == 1
    assert dealt >= 30


def test_a_card_that_was_not_in_the_deck_is_found(night: Night) -> None:
    """The guide's check fails if a card was exchanged, or the whole deck."""
    guide, path = lines(), f"/v1/tournaments/{night.announced()}"
    night.post("host", f"{path}/start", {})
    (table,) = [each["id"] for each in night.get(path)["tables"]]

    def opened() -> list[str]:
        items = night.get(f"/v1/tables/{table}/events?limit=200")["items"]
        return [each["data"]["hand"] for each in items if each["type"] == "hand_opened"]

    hand = until(opened)[0]
    until(lambda: night.host.get(f"/v1/hands/{hand}").is_success)

    with pytest.raises(AssertionError, match="was not there"):
        for name in PLAYERS:
            guide["check"](Forger(night.people[name]), table, hand)


class Forger:
    """A client that passes on the house's answers, but renames some of the cards."""

    def __init__(self, api: httpx.Client) -> None:
        self.api = api

    def get(self, path: str, **more: Any) -> httpx.Response:
        answer = self.api.get(path, **more)
        return httpx.Response(200, text=answer.text.replace('"C+', '"T+').replace('"S-', '"C-'))
