"""Tables that play hand after hand over HTTP, as fast as the server answers."""

import asyncio
import random
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from bench.client import Connection, Person

SEATS = 6
STALLED_SECONDS = 10.0
"""A run ends with an error if a table's next hand does not open within this time."""


@dataclass
class Measured:
    """The figures of one side from *begun* to *until*. Later answers are not counted."""

    begun: float
    until: float
    spent: list[float] = field(default_factory=list)
    reads: int = 0
    kinds: dict[str, int] = field(default_factory=dict)

    def keep(self, asked: float, kind: str) -> None:
        """Record an action that was sent at *asked* and is answered now."""
        now = time.perf_counter()
        if self.begun <= asked and now < self.until:
            self.spent.append(now - asked)
            self.kinds[kind] = self.kinds.get(kind, 0) + 1

    def read(self) -> None:
        """Count a read."""
        self.reads += self.begun <= time.perf_counter() < self.until


Place = Callable[[int, int], str]
"""The address that a player uses, by the numbers of the table and the player."""


async def sit_down(
    base: str, tables: int, place: Place | None = None, *, waits: bool = False
) -> list["Game"]:
    """
    Return *tables* tables of six in one league, each a tournament of its own.

    The stacks are deep and the blinds stay, so that nobody ever leaves.

    Args:
      base: Where the tables are made.
      place: The address that each player uses, if it is not *base*.
      waits: As for :class:`Game`.
    """
    people: list[Person] = []
    run = f"{random.getrandbits(40):x}"
    for number in range(SEATS):
        person = Person(Connection(base))
        wanted = {"login": f"bench{run}{number}", "password": "correct horse"}
        await person.post("/v1/accounts", wanted)
        known = {"login": wanted["login"], "password": wanted["password"]}
        person.token = (await person.post("/v1/tokens", known))["token"]
        people.append(person)
    league = (await people[0].post("/v1/leagues", {"name": "Bench"}))["id"]
    for person in people[1:]:
        invited = await people[0].post(f"/v1/leagues/{league}/invitations", {})
        await person.post(f"/v1/invitations/{invited['code']}/accept", {})
    terms = {
        "name": "Bench", "ruleset": "better",
        "overrides": {"escalation": {"kind": "none"}}, "starting_stack": 1_000_000_000,
        "entrants_max": SEATS, "staff_may_play": True,
        "decision_seconds": 3600, "hands_between_seconds": 0,
    }  # fmt: skip
    found = []
    for number in range(tables):
        made = (await people[0].post(f"/v1/leagues/{league}/tournaments", terms))["id"]
        for person in people:
            await person.post(f"/v1/tournaments/{made}/registrations", {})
        await people[0].post(f"/v1/tournaments/{made}/start", {})
        shown = await people[0].get(f"/v1/tournaments/{made}")
        places = [base if place is None else place(number, seat) for seat in range(SEATS)]
        seated = [
            Person(Connection(where), person.token)
            for where, person in zip(places, people, strict=True)
        ]
        found.append(Game(shown["tables"][0]["id"], seated, waits=waits))
    return found


class Game:
    """
    One table and its six players. Each keeps one card, never raises and never folds.

    Each player reads the table once a hand, for the own cards. After that the answers to
    actions tell the events and the next decision.

    Args:
      waits: True to wait for the next hand by a long poll. Otherwise one player reads the table
        again and again.
    """

    def __init__(self, table: str, people: list[Person], *, waits: bool = False) -> None:
        self.table = table
        self._path = f"/v1/tables/{table}"
        self._people = people
        self._waits = waits
        self._hand: str | None = None
        self._seats: dict[int, Person] = {}
        self._cards: dict[int, list[str]] = {}
        self._put_in: dict[int, int] = {}
        self._bet = 0
        self._decision: Any = None
        self._left: list[int] = []
        """The seats that :meth:`step` has yet to ask."""

    async def play(self, measured: Measured) -> None:
        """Play until the time is over; the next call goes on where this one stopped."""
        while time.perf_counter() < measured.until:
            if self._decision is None:
                await self._await_hand(measured)
                continue
            decision = self._decision
            seats = decision["seats"] if decision["phase"] != "bet" else decision["seats"][:1]
            asked, self._left = self._left or seats, []
            await asyncio.gather(*(self._act(measured, decision, seat) for seat in asked))

    async def step(self, measured: Measured) -> None:
        """Let one seat act, after its hand has opened."""
        if self._decision is None:
            await self._await_hand(measured)
        if not self._left:
            seats = self._decision["seats"]
            self._left = list(seats if self._decision["phase"] != "bet" else seats[:1])
        await self._act(measured, self._decision, self._left.pop(0))

    async def _await_hand(self, measured: Measured) -> None:
        stalled = time.perf_counter() + STALLED_SECONDS
        tag = ""
        while True:
            if self._waits:
                view, tag = await self._people[0].newer(self._path, tag, STALLED_SECONDS)
            else:
                view = await self._people[0].get(self._path)
            measured.read()
            if view is None or view["closed"] or time.perf_counter() > stalled:
                raise RuntimeError(f"no hand opens at {self._path}")
            if view["decision"] is not None and view["hand"] != self._hand:
                break
            if not self._waits:
                await asyncio.sleep(0.005)
        rest = [person.get(self._path) for person in self._people[1:]]
        views = [view, *await asyncio.gather(*rest)]
        for person, seen in zip(self._people, views, strict=True):
            self._seats[seen["me"]["seat"]] = person
            self._cards[seen["me"]["seat"]] = seen["me"]["cards"]
            measured.read()
        self._hand, self._decision = view["hand"], view["decision"]
        self._bet = view["current_bet"]
        self._put_in = {each["seat"]: each["put_in"] for each in view["seats"]}

    async def _act(self, measured: Measured, decision: Any, seat: int) -> None:
        body = {"decision": decision.get("token") or decision["decision"]}
        match decision["phase"]:
            case "select":
                body |= {"type": "select", "cards": self._cards[seat][:1]}
            case "improve":
                body |= {"type": "improve", "cards": []}
            case _:
                body["type"] = "call" if self._bet > self._put_in[seat] else "check"
        asked = time.perf_counter()
        done = await self._seats[seat].post(f"{self._path}/actions", body)
        measured.keep(asked, body["type"])
        for each in done["events"]:
            self._follow(each["type"], each["data"])

    def _follow(self, type_: str, data: Any) -> None:
        match type_:
            case "seat_acted":
                self._bet = data["current_bet"]
                self._put_in[data["seat"]] += data["paid"]
            case "street_closed":
                self._bet, self._put_in = 0, dict.fromkeys(self._put_in, 0)
            case "decision_opened":
                self._decision = data
            case "hand_settled":
                self._decision = None
