"""One hand over the API: nobody gets a card that is neither their own nor turned over."""

import asyncio
import re

import pytest

from engine.kit.cards import deck
from tests.service.api.table.test_commands import answer_to, turn
from tests.support.streams import following

pytestmark = pytest.mark.anyio

OPAQUE = {"cursor", "next_cursor", "position"}
FACES = map(re.escape, (*deck("d62"), *deck("d76")))
FACE = re.compile(r"(?<![\w+-])(" + "|".join(FACES) + r")(?![\w+-])")
OPEN = {
    "hands_revealed": ("hands",),
    "hands_ranked": ("hands",),
    "draw_off_dealt": ("cards",),
    "cards_fielded": ("cards",),
    "demise_dealt": ("dealt",),
    "deal_voided": ("cards",),
    "discard_flipped": ("card",),
    "market_card_laid": ("card",),
    "card_turn_taken": ("shown", "taken"),
}
"""The members of events that show cards to everybody."""


def cards_in(value):
    """Return every card named anywhere in a body, even inside a sentence."""
    if isinstance(value, str):
        return set(FACE.findall(value))
    if isinstance(value, dict):
        parts = [part for key, part in value.items() if key not in OPAQUE] + list(value)
        return set().union(*map(cards_in, parts))
    if isinstance(value, list):
        return set().union(*map(cards_in, value))
    return set()


def turned_over(items):
    """Return the cards that events show to everybody: draws, draw-offs and the reveal."""
    found = set()
    for item in items:
        data = item["data"]
        found |= cards_in(data.get("first_dealer_draws", []))
        for member in OPEN.get(item["type"], ()):
            found |= cards_in(data[member] or [])
    return found


class Watch:
    """A check that reads every resource as every person, and knows the cards each may see."""

    def __init__(self, people, league, tournament, table) -> None:
        self.people = people
        self.table = f"/v1/tables/{table}"
        night = f"/v1/tournaments/{tournament}"
        self.lists = [f"{self.table}/hands", f"{night}/tables", f"{night}/floor"]
        self.feeds = [
            f"{self.table}/events",
            f"/v1/tournaments/{tournament}/events",
            f"/v1/leagues/{league}/events",
        ]
        self.own = {person.player: set() for person in people}
        self.shown = set()
        self.items = []

    async def look(self) -> None:
        """Read every resource as every person, and check the cards in each answer."""
        views = [(person, await self.see(person)) for person in self.people]
        for person in self.people:
            for path in self.feeds:
                items = (await person.get(path, params={"limit": 200})).json()["items"]
                self.shown = turned_over(items) or self.shown
                self.items = items if path == self.feeds[0] else self.items
                self.check(person, items, self.shown)
                # A public event names no hidden card, not even one of the reader's.
                assert cards_in([item["data"] for item in items]) <= self.shown
            for path in self.lists:
                self.check(person, (await person.get(path)).json(), self.shown)
        for person, view in views:
            self.check(person, view, self.shown)

    async def see(self, person):
        """Return *person*'s view. The cards in its ``me`` part become known to that person."""
        view = (await person.get(self.table)).json()
        self.own[person.player] |= cards_in(view["me"])
        return view

    def check(self, person, body, shown) -> None:
        """Fail if *person* was sent a card that they may not see."""
        assert cards_in(body) <= self.own[person.player] | shown


def told(answer):
    """Return the members of a refusal that do not differ from request to request."""
    return {key: part for key, part in answer.json().items() if key != "instance"}


async def test_nobody_is_sent_a_card_of_others_in_a_whole_hand(serving) -> None:
    async with serving() as api:
        owner, league, tournament, people, table = await api.playing(3)
        await turn(people, table)
        assert (await owner.post(f"/v1/tournaments/{tournament}/pause")).status_code == 200
        watch = Watch([owner, *people], league, tournament, table)
        folded = None
        settled = number = 0
        while not settled:
            await watch.look()
            person, view = await turn(people, table)
            action, number = answer_to(view), number + 1
            if folded is None and any(each["verb"] == "fold" for each in view["legal"]):
                folded, action["type"] = person, "fold"
            done = await person.post(f"{watch.table}/actions", action, key=f"n{number}")
            assert done.status_code == 200, done.text
            body = done.json()
            await watch.see(person)
            watch.check(person, body, turned_over(body["events"]))
            settled = sum(each["type"] == "hand_settled" for each in body["events"])
            assert number < 60
        await watch.look()
        revealed = [each for each in watch.items if each["type"] == "hands_revealed"]
        assert folded is not None
        assert revealed and len(revealed[0]["data"]["hands"]) == 2
        assert not watch.own[folded.player] & cards_in(revealed[0]["data"])
        assert watch.own[owner.player] == set()
        hands = [watch.own[person.player] for person in people]
        assert sum(map(len, hands)) == len(set().union(*hands)) > 0


async def test_sizes_of_selections_are_not_told_before_all_have_committed(serving) -> None:
    async with serving() as api:
        owner, _, _, people, table = await api.playing()
        views = [await turn([person], table) for person in people]
        assert all(view["phase"] == "select" for _, view in views)
        path = f"/v1/tables/{table}"
        before = (await people[1].get(path)).json()
        (first, view), _ = views
        action = {**answer_to(view), "cards": view["me"]["cards"][:2]}
        done = await first.post(f"{path}/actions", action, key="first")
        assert done.status_code == 200, done.text
        for person in (owner, people[1]):
            after = (await person.get(path)).json()
            assert [each["kept"] for each in after["seats"]] == [None, None]
            assert [each["answered"] for each in after["seats"]].count(True) == 1
            items = (await person.get(f"{path}/events", params={"limit": 200})).json()["items"]
            committed = items[-1]
            assert committed["type"] == "selection_committed"
            assert set(committed["data"]["cards"]) == {"audience", "commitment"}
            assert committed["opened"] == {}
        assert after["me"] == before["me"]


async def test_the_same_illegal_action_is_refused_alike_wherever_the_card_is(serving) -> None:
    async with serving() as api:
        owner, _, _, people, table = await api.playing()
        (first, view), (other, theirs) = [await turn([person], table) for person in people]
        path = f"/v1/tables/{table}/actions"
        held = view["me"]["cards"] + theirs["me"]["cards"]
        undealt = next(card for card in deck("d62") if card not in held)
        foreign = theirs["me"]["cards"][0]

        async def tried(person, card, key):
            action = {**answer_to(view), "cards": [card]}
            answer = await person.post(path, action, key=key)
            assert answer.status_code == 409, answer.text
            assert cards_in(answer.json()) <= {card}
            return {
                name: part.replace(card, "?") if isinstance(part, str) else part
                for name, part in told(answer).items()
            }

        refused = await tried(first, undealt, "u")
        assert refused["code"] == "card_not_held"
        assert refused == await tried(first, foreign, "f")
        strange = await tried(owner, undealt, "s")
        assert strange["code"] == "entrant_not_seated"
        assert strange == await tried(owner, foreign, "t")
        done = await other.post(path, answer_to(theirs), key="done")
        assert done.status_code == 200, done.text
        final = await tried(other, undealt, "v")
        assert final["code"] == "selection_final"
        assert final == await tried(other, foreign, "w")
        assert refused == await tried(first, foreign, "x")


async def test_a_stream_ends_when_its_token_is_revoked(serving) -> None:
    async with serving() as api:
        _, _, _, people, table = await api.playing()
        person, view = await turn(people, table)
        other = next(each for each in people if each is not person)
        path = f"/v1/tables/{table}/events"
        before = (await other.get(path, params={"limit": 200})).json()["items"]
        async with following(api.app, path, other.headers, before[0]["cursor"]) as stream:
            await stream.until(len(before) - 1)
            mine = (await other.get("/v1/tokens")).json()["items"][0]["id"]
            ended = await api.http.delete(f"/v1/tokens/{mine}", headers=other.headers)
            assert ended.status_code == 204, ended.text
            acted = await person.post(f"/v1/tables/{table}/actions", answer_to(view), key="a")
            assert acted.status_code == 200, acted.text
            await asyncio.wait_for(stream.ended.wait(), 20)
        assert stream.items == before[1:]
        assert (await other.get(path)).status_code == 401
