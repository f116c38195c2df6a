"""An interrupted night: the whole stack stops during a hand and starts again."""

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any

import httpx
import pytest

from service.process.starting import StackFailed
from service.process.supervisor import Stack
from service.sandbox.bots.player import Temper, choose
from service.sandbox.demo import standing
from service.tasks.worker import READY
from tests.journeys.test_fair_dealing import lines
from tests.support.waiting import until

pytestmark = pytest.mark.slow

DECISION_SECONDS = 30
HEARTBEAT_SECONDS = 5
LEVELS = [{"small": 5, "big": 10, "length": 3600}, {"small": 10, "big": 20}]
MASTERS = {"cards": "5c" * 32, "open": "36" * 32}
TEMPER = Temper(boldness=0.0, patience=1.0)
OPTIONS = {"tick_milliseconds": 50, "sweep_seconds": 1, "worker_processes": 1}
POSTGRES_ENDED = "PostgreSQL ended; its log is server.log in the cluster's folder"
_evenings = count(1)


@dataclass
class Evening:
    """One table of three, seen through the public API."""

    http: httpx.Client
    tokens: dict[str, str] = field(default_factory=dict)
    table: str = ""
    tournament: str = ""
    sent: int = 0
    number: int = field(default_factory=lambda: next(_evenings))
    """A number that keeps its logins apart from those of other evenings on the same stack."""

    def ask(
        self, who: str, method: str, path: str, body: Any = None, key: str | None = None
    ) -> httpx.Response:
        self.sent += 1
        headers = {"Idempotency-Key": key or f"{who}-{self.sent}"} if method == "POST" else {}
        if who in self.tokens:
            headers["Authorization"] = f"Bearer {self.tokens[who]}"
        return self.http.request(method, path, json=body, headers=headers)

    def good(self, *request: Any, key: str | None = None) -> dict[str, Any]:
        answer = self.ask(*request, key=key)
        assert answer.is_success, answer.text
        found: dict[str, Any] = answer.json()
        return found

    def gather(self) -> None:
        for name in ("host", "han", "lando", "qira"):
            login = f"{name}{self.number}"
            body = {"login": login, "password": "a long night ahead", "name": name}
            self.good(name, "POST", "/v1/accounts", body)
            known = {"login": login, "password": body["password"]}
            self.tokens[name] = self.good(name, "POST", "/v1/tokens", known)["token"]
        league = self.good("host", "POST", "/v1/leagues", {"name": "Cloud City", "sandbox": True})
        at = f"/v1/leagues/{league['id']}"
        code = self.good("host", "POST", f"{at}/invitations", {"role": "player", "uses": 3})["code"]
        terms = {
            "name": "Night one",
            "ruleset": "better",
            "starting_stack": 1000,
            "hands_between_seconds": 0,
        }
        terms |= {"decision_seconds": DECISION_SECONDS, "grace_seconds": 0}
        terms |= {"overrides": {"escalation": {"kind": "levels", "by": "clock", "levels": LEVELS}}}
        terms |= {"masters": MASTERS}
        tournament = self.good("host", "POST", f"{at}/tournaments", terms)
        self.tournament = tournament["id"]
        at = f"/v1/tournaments/{self.tournament}"
        for name in self.players:
            self.good(name, "POST", f"/v1/invitations/{code}/accept", {})
            self.good(name, "POST", f"{at}/registrations", {"bot": True})
        self.good("host", "POST", f"{at}/start", {})
        listed = until(lambda: self.good("host", "GET", f"{at}/tables")["items"])
        self.table = listed[0]["id"]
        until(lambda: self.view("host")["decision"])

    @property
    def players(self) -> list[str]:
        return [name for name in self.tokens if name != "host"]

    def view(self, who: str) -> dict[str, Any]:
        return self.good(who, "GET", f"/v1/tables/{self.table}")

    def deadline(self) -> datetime:
        return datetime.fromisoformat(self.view("host")["decision"]["deadline"])

    def kept(self) -> dict[str, Any]:
        """Return the parts of each player's view that an interruption must not change."""
        views = {name: self.view(name) for name in self.players}
        return {
            name: [view["me"], view["level"], view["hand_number"], view["my_turn"], view["seats"]]
            + [view["decision"][part] for part in ("token", "turn", "seats")]
            for name, view in views.items()
        }

    def answered(self, key: str | None = None) -> tuple[str, dict[str, Any], dict[str, Any]]:
        """Answer for the next player to act. Return the player, the action and the answer."""
        for name in self.players:
            action = choose(self.view(name), TEMPER, name, 1)
            if action is not None:
                path = f"/v1/tables/{self.table}/actions"
                return name, action, self.good(name, "POST", path, action, key=key)
        raise AssertionError("nobody is asked")

    def level_due(self) -> datetime:
        return datetime.fromisoformat(self.view("host")["next_level"]["due"])

    def events(self) -> list[dict[str, Any]]:
        answer = self.good("host", "GET", f"/v1/tables/{self.table}/events?limit=200")
        items: list[dict[str, Any]] = answer["items"]
        return items

    def seen(self, guide: dict[str, Any]) -> dict[tuple[str, int], str]:
        """Return every card that any player has seen, by hand and position in its deck."""
        found = {}
        for name in self.players:
            path = f"/v1/tables/{self.table}/events?limit=200"
            hand = ""
            for item in self.good(name, "GET", path)["items"]:
                hand = item["data"]["hand"] if item["type"] == "hand_opened" else hand
                for card in guide["seen"](item):
                    assert card["pile"] == 1
                    found[hand, card["position"]] = card["card"]
        return found

    def finish_street(self) -> None:
        """Answer the open decision for every seat it waits for."""
        token = self.view("host")["decision"]["token"]
        while (open_now := self.view("host")["decision"]) and open_now["token"] == token:
            self.answered()


@pytest.fixture(scope="module")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    """A stack that every test leaves running."""
    directory = tmp_path_factory.mktemp("n") / "d"
    with Stack(directory, keep=True, durable=False, options=OPTIONS) as running:
        yield running


@contextmanager
def connected(stack: Stack) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=stack.url, timeout=30) as http:
        yield http


def worker_starts(stack: Stack) -> int:
    """Return the number of times that the worker has reported that it is ready."""
    return stack.log("worker").read_text(encoding="utf-8").count(READY)


def full_time_anew(evening: Evening, returned: datetime) -> bool:
    """Return whether the deadline leaves the full time, counted from the return."""
    return evening.deadline() >= returned + timedelta(seconds=DECISION_SECONDS)


def test_a_restarted_stack_goes_on_where_it_was(stack: Stack) -> None:
    """Cards, decision and level clock are unchanged. The decision has its full time again."""
    with connected(stack) as http:
        evening = Evening(http)
        evening.gather()
        evening.answered()
        before, events = evening.kept(), evening.events()
        due = evening.level_due()
        starts = worker_starts(stack)
    stack.stop()
    stopped = datetime.now(UTC)
    stack.start()
    with connected(stack) as http:
        assert worker_starts(stack) == starts + 1
        evening.http = http
        assert evening.kept() == before
        returned = datetime.now(UTC)
        until(lambda: evening.level_due() > due)
        away = returned - stopped
        assert (
            away / 2 < evening.level_due() - due < away + timedelta(seconds=HEARTBEAT_SECONDS * 2)
        )
        until(lambda: full_time_anew(evening, stopped))
        assert evening.kept() == before
        assert evening.events()[: len(events)] == events
        evening.finish_street()
        assert not any(each["data"].get("timed_out") for each in evening.events())


def test_an_api_that_is_killed_in_mid_hand_deals_on_from_the_very_same_deck(stack: Stack) -> None:
    """
    The API is killed between the opening of a hand and its next street, and loses its cache.

    The test fixes the masters. All earlier cards, all later cards and the next hand are those that
    the code in the guide to fair dealing derives from them.
    """
    guide = lines()
    with connected(stack) as http:
        evening = Evening(http)
        evening.gather()
        evening.answered()
        before, events, seen = evening.kept(), evening.events(), evening.seen(guide)
        assert events[-1]["type"] not in ("hand_settled", "hand_opened")
        api = stack._children["api"]
        api.kill()
        api.wait()
        assert stack.failed() == "api"
    stack.stop()
    stack.start()
    with connected(stack) as http:
        evening.http = http
        assert evening.kept() == before
        assert evening.seen(guide) == seen

        def opened() -> list[dict[str, Any]]:
            return [each["data"] for each in evening.events() if each["type"] == "hand_opened"]

        def two_hands() -> bool:
            if evening.view("host")["decision"]:
                evening.finish_street()
            return len(opened()) == 2 and bool(evening.view("host")["decision"])

        until(two_hands)
        assert evening.events()[: len(events)] == events
        after = evening.seen(guide)
        fairness = evening.good("host", "GET", f"/v1/tournaments/{evening.tournament}/fairness")
        known = fairness | {"cards_master": MASTERS["cards"]}
        decks = {
            each["hand"]: guide["deal"](evening.tournament, known, 1, each) for each in opened()
        }
    assert {place: decks[place[0]][place[1]] for place in after} == after
    assert after.items() >= seen.items()
    assert len(after) >= len(seen) + 15


def test_a_database_that_is_killed_is_started_again_with_all_it_held(
    stack: Stack, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`up` starts its PostgreSQL again like every other part, on the same port."""
    monkeypatch.setattr("service.process.supervisor._AGAIN_SECONDS", 0.01)
    with connected(stack) as http:
        evening = Evening(http)
        evening.gather()
        evening.answered()
        before, events = evening.kept(), evening.events()
        assert stack.cluster is not None and stack.cluster.pid is not None
        killed = stack.cluster.pid
        os.kill(killed, signal.SIGKILL)
        until(lambda: stack.failed() == "postgres")
        with pytest.raises(StackFailed, match=POSTGRES_ENDED):
            stack.check()
        told: list[str] = []
        until(lambda: mended(stack, told) and http.get("/readyz").status_code == 200)
        assert told == [f"{POSTGRES_ENDED}; it is started again in 0 s"]
        assert stack.cluster.pid != killed
        assert evening.kept() == before
        assert evening.events() == events
        stack.check()


def test_a_database_that_is_killed_while_up_greets_is_started_again(
    stack: Stack, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("service.process.supervisor._AGAIN_SECONDS", 0.01)
    assert stack.cluster is not None and stack.cluster.pid is not None
    os.kill(stack.cluster.pid, signal.SIGQUIT)
    until(lambda: stack.failed() == "postgres")
    told: list[str] = []
    token, code = standing.ready(stack, told.append)
    assert len(told) == 1 and told[0].startswith(POSTGRES_ENDED), told
    assert code.startswith("tok_")
    with connected(stack) as http:
        mine = {"Authorization": f"Bearer {token}"}
        until(lambda: http.get("/readyz").status_code == 200)
        assert http.get("/v1/me", headers=mine).json()["login"] == standing.LOGIN


def mended(stack: Stack, told: list[str]) -> bool:
    stack.mend(told.append)
    return stack.failed() is None
