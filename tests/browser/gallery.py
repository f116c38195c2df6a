"""A league with a history: evenings, tables in the middle of a hand, a full room."""

import random
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any
from uuid import UUID

from service.notices.opting_out import OptOut, code_of
from tests.browser.house import House, Person
from tests.browser.scenery import eventually

NAMES = (
    "Mara Jade", "Chewbacca", "Qi'ra", "Tobias Beckett", "Enfys Nest", "Dryden Vos", "Jyn Erso",
    "Cassian Andor", "Bodhi Rook", "Hera Syndulla", "Sabine Wren",
)  # fmt: skip
GUESTS = (
    "Kleya Marki", "Vel Sartha", "Cinta Kaz", "Saw Gerrera", "Baze Malbus", "Chirrut Îmwe",
    "Rio Durant", "Val", "Ezra Bridger", "Zeb Orrelios", "Kanan Jarrus", "Wilhuff Tarkin-Motti",
)  # fmt: skip
OUT = ("Val", "Wilhuff Tarkin-Motti", "Rio Durant", "Saw Gerrera")
"""Guests who are out of the room early."""

LEVELS = [
    {"small": small, "big": 2 * small, "ante": ante, "length": 1200}
    for small, ante in ((25, 0), (50, 0), (100, 0), (150, 50), (200, 50), (300, 100), (500, 100))
]
del LEVELS[-1]["length"]  # the last level has no end
ACTS_MAX = 200
ABOUT = {
    "name": "Cloud City Sabacc",
    "description": "Every Thursday from half past seven. Beginners are welcome, and there is soup.",
    "place": "The Lodestar, Harbour Street 4",
    "length_seconds": 3 * 3600,
    "url": "https://example.org/cloud-city",
}
ROOM = {
    "ruleset": "better", "starting_stack": 5000, "table_seats": 8, "currency": "EUR",
    "fees": {"buy_in": 2000, "fee": 200}, "payouts": [50, 30, 20], "decision_seconds": 3600,
    "hands_between_seconds": 3600, "place": ABOUT["place"], "length_seconds": 3 * 3600,
    "overrides": {"escalation": {"kind": "levels", "by": "clock", "levels": LEVELS}},
    "floor": {"breaks": [{"level": 2, "seconds": 900}]},
}  # fmt: skip
NIGHT = {
    "hands_between_seconds": 3600, "decision_seconds": 3600, "currency": "EUR",
    "fees": {"buy_in": 1000}, "payouts": [50, 30, 20],
}  # fmt: skip


@dataclass
class Gallery:
    """The people who look at the pages, and the names in the paths."""

    owner: Person
    member: Person
    names: dict[str, str]
    """The names that every path has, such as ``league`` and ``hand``."""

    seats: dict[str, tuple[Person, str]]
    """Interesting tables: the person who looks, and the table."""


def hung(house: House, *secret_keys: str) -> Gallery:
    """Found the league, play its season, and leave several tables in the middle of a hand."""
    chance = random.Random(7)
    owner, league = house.league("Cloud City", "public")
    owner.send("PUT", f"/v1/leagues/{league}", ABOUT)
    people = [house.join(owner, league, name=each) for each in NAMES]
    season = owner.post(f"/v1/leagues/{league}/seasons", {"name": "Winter"})["id"]
    weekly = {
        "rrule": "FREQ=WEEKLY;BYDAY=TH", "zone": "Europe/Berlin", "ahead_hours": 24 * 30,
        "starts": f"{datetime.now(UTC) + timedelta(days=2):%Y-%m-%d}T19:30",
        "tournament": {"name": "Thursday", **ROOM},
    }  # fmt: skip
    owner.post(f"/v1/seasons/{season}/fixtures", weekly)
    coming = _coming(owner, league, people, season)
    live = _room(owner, league, people, season)
    for number in range(5):
        table = _begun(owner, league, people[number % 4 :][:8], f"Thursday {number + 1}", season)
        over = table["tournament"]
        _played(people, table["table"], chance, partial(_finished, owner, over))
    seats = _seats(owner, league, people, chance)
    hand = eventually(lambda: owner.get(f"/v1/tables/{table['table']}")["last_hand"])["hand"]
    about = {"kind": "payout", "tournament": over}
    asked = about | {"claim": "The second prize should have been split between Jyn and me."}
    dispute = people[0].post("/v1/disputes", asked)["id"]
    audit = owner.post(f"/v1/leagues/{league}/audits", {"tournament": over})["operation"]
    claim = owner.post(f"/v1/leagues/{league}/players", {"name": "Han Solo"})["claim"]
    screen = owner.post(f"/v1/tournaments/{live}/screen-keys")["key"]
    code = owner.post(f"/v1/leagues/{league}/invitations", {"uses": 9})["code"]
    mail = OptOut(UUID(hex=people[0].player[4:]), "mail", "result")
    eventually(lambda: owner.get(f"/v1/hands/{hand}"))
    fresh = owner.post("/v1/leagues", {"name": "Mos Eisley Irregulars"})["id"]
    ties = tied(owner, league, people)
    first = {"name": "First night", "ruleset": "better", "starts_at": _in(days=5)}
    unknown = owner.post(f"/v1/leagues/{fresh}/tournaments", first)["id"]
    names = {
        "fresh": fresh, "unknown": unknown, "ties": ties,
        "league": league, "season": season, "live": live, "over": over, "coming": coming,
        "hand": hand, "dispute": dispute, "audit": audit, "operation": audit, "claim": claim,
        "code": code, "key": screen, "preset": "better", "player": people[0].player,
        "opt_out": code_of(mail, *secret_keys),
    }  # fmt: skip
    return Gallery(owner, people[0], names, seats)


def tied(owner: Person, league: str, people: list[Person]) -> str:
    """Return a season in which players share places, and one tie-break separates others."""
    wanted = {"name": "Summer", "tie_breaks": ["standings.wins"]}
    season: str = owner.post(f"/v1/leagues/{league}/seasons", wanted)["id"]
    rows = ["tournament,date,player,place,points"]
    for number, places in enumerate(((1, 2, 3, 4, 5, 6, 7, 8), (2, 1, 4, 3, 5, 6, 8, 7))):
        points = [(0, 12, 10, 8, 8, 5, 3, 2, 1)[place] for place in places]
        rows += [
            f"Night {number + 1},2026-0{number + 7}-04,{each.player},{place},{given}"
            for each, place, given in zip(people, places, points, strict=False)
        ]
    answer = owner.http.post(
        f"/v1/leagues/{league}/past-seasons", params={"season": season}, content="\n".join(rows),
        headers={
            "Authorization": f"Bearer {owner.token}", "Content-Type": "text/csv",
            "Idempotency-Key": season,
        },
    )  # fmt: skip
    answer.raise_for_status()
    return season


def _in(**later: float) -> str:
    """Return the time after the given ``minutes`` or ``days``."""
    return (datetime.now(UTC) + timedelta(**later)).isoformat()


def _finished(owner: Person, tournament: str) -> bool:
    return bool(owner.get(f"/v1/tournaments/{tournament}")["state"] == "finished")


def _begun(
    owner: Person, league: str, people: list[Person], name: str, season: str | None = None,
    **terms: Any,
) -> dict[str, str]:  # fmt: skip
    """Start an evening at one table."""
    asked = NIGHT | {
        "name": name, "season": season, "ruleset": "better_simple", "starting_stack": 60,
        "table_seats": 8, "hands_between_seconds": 0, "hands_max": 6,
    }  # fmt: skip
    made = owner.post(f"/v1/leagues/{league}/tournaments", asked | terms)["id"]
    for each in people:
        each.post(f"/v1/tournaments/{made}/registrations")
    owner.post(f"/v1/tournaments/{made}/start")
    tables = eventually(lambda: owner.get(f"/v1/tournaments/{made}")["tables"])
    table = tables[0]["id"]
    eventually(lambda: people[0].get(f"/v1/tables/{table}")["decision"])
    return {"tournament": made, "table": table}


def _act(view: Any, chance: random.Random, bold: float) -> dict[str, Any]:
    """Choose an action as a cheerful player would."""
    legal = {each["verb"]: each for each in view["legal"]}
    body: dict[str, Any] = {"decision": view["decision"]["token"]}
    if "select" in legal:
        return body | {"type": "select", "cards": view["me"]["cards"][:2]}
    if "improve" in legal:
        return body | {"type": "improve", "cards": view["me"]["new_cards"][:1]}
    if "all_in" in legal and chance.random() < bold:
        return body | {"type": "all_in"}
    if "raise_to" in legal and chance.random() < bold:
        return body | {"type": "raise_to", "amount": legal["raise_to"]["min"]}
    if "call" in legal and chance.random() < bold / 2:
        return body | {"type": "fold"}
    order = ("check", "call", "stay", "stand", "call_hand", "fold")
    return body | {"type": next(each for each in order if each in legal)}


def _played(
    people: list[Person], table: str, chance: random.Random, done: Callable[[], bool],
    bold: float = 0.25,
) -> None:  # fmt: skip
    """Play on at a table until *done*."""
    for _ in range(ACTS_MAX):
        for each in people:
            answer = each.http.get(
                f"/v1/tables/{table}", headers={"Authorization": f"Bearer {each.token}"}
            )
            view = answer.json() if answer.is_success else {}
            if view.get("my_turn"):
                each.post(f"/v1/tables/{table}/actions", _act(view, chance, bold))
                if done():
                    return
        if done():
            return
    raise AssertionError("the evening has no end")


def _seats(
    owner: Person, league: str, people: list[Person], chance: random.Random
) -> dict[str, tuple[Person, str]]:
    """Begin a table for each state that a table can show."""
    mine, six = people[0], people[:6]
    seats: dict[str, tuple[Person, str]] = {}

    def begun(
        name: str, ruleset: str, until: Callable[[Any], bool], bold: float, **terms: Any
    ) -> None:
        asked: dict[str, Any] = {
            "ruleset": ruleset,
            "hands_between_seconds": 3600,
            "table_seats": 6,
        } | terms
        night = _begun(owner, league, six, name, **asked)
        table = night["table"]
        seats[name] = (mine, table)
        _played(six, table, chance, lambda: until(mine.get(f"/v1/tables/{table}")), bold)

    begun("Choosing", "better", lambda view: view["my_turn"], 0, starting_stack=500)
    begun("Bets", "better", _has_bets, 0.4, starting_stack=500)
    begun("Side pots", "better", _has_side_pots, 0.5, starting_stack=120, hands_between_seconds=0)
    begun("Showdown", "better", lambda view: view["last_hand"], 0.1, starting_stack=500)
    for ruleset in ("traditional", "spike", "cantina"):
        begun(f"Card turn, {ruleset}", ruleset, _at_card_turn, 0, starting_stack=100)
    return seats


def _has_bets(view: Any) -> bool:
    put_in = [each["put_in"] for each in view["seats"]]
    return bool(view["my_turn"] and view["phase"] == "bet" and len(set(put_in)) > 2)


def _has_side_pots(view: Any) -> bool:
    all_in = sum(each["all_in"] for each in view["seats"])
    return bool(view["hand"] and all_in and len(view["pots"]) > 1)


def _at_card_turn(view: Any) -> bool:
    return bool(view["my_turn"] and view["phase"] in ("card", "improve"))


def _room(owner: Person, league: str, people: list[Person], season: str) -> str:
    """Fill a room: some players have phones, some walked in."""
    asked = ROOM | {"name": "Thursday 6", "season": season, "entrants_max": 32}
    made: str = owner.post(f"/v1/leagues/{league}/tournaments", asked)["id"]
    for each in people:
        each.post(f"/v1/tournaments/{made}/registrations")
    for name in GUESTS:
        owner.post(f"/v1/tournaments/{made}/walk-ins", {"name": name})
    owner.post(f"/v1/tournaments/{made}/start")
    eventually(lambda: owner.get(f"/v1/tournaments/{made}")["tables"])
    entrants = owner.get(f"/v1/tournaments/{made}")["entrants"]
    named = {each["name"]: each["id"] for each in entrants}
    for name in OUT:
        asked = {"entrant": named[name], "reason": "Left for a ship."}
        owner.post(f"/v1/tournaments/{made}/disqualifications", asked)
    asked = {"level": 2, "seconds": -8 * 60, "reason": "The first level is over."}
    owner.post(f"/v1/tournaments/{made}/clock", asked)
    owner.post(f"/v1/tournaments/{made}/announcements", {"text": "The kitchen closes at ten."})
    return made


def _coming(owner: Person, league: str, people: list[Person], season: str) -> str:
    """Announce an evening with a door list: some are here, some have paid, some wait in line."""
    starts = _in(minutes=50)
    entry = {"waitlist": True, "check_in_opens_before_seconds": 3600}
    asked = ROOM | {
        "name": "Winter Open", "season": season, "starts_at": starts, "entrants_max": 9,
        "entry": entry, "fees": {"buy_in": 2000, "fee": 200, "payment": "recorded"},
    }  # fmt: skip
    made: str = owner.post(f"/v1/leagues/{league}/tournaments", asked)["id"]
    for number, each in enumerate(people):
        entered = each.post(f"/v1/tournaments/{made}/registrations")
        if number < 5:
            each.post(f"/v1/tournaments/{made}/check-ins")
        if number < 4:
            for kind, amount in (("buy_in", 2000), ("fee", 200)):
                paid = {"entrant": entered["entrant"], "kind": kind, "amount": amount}
                owner.post(f"/v1/tournaments/{made}/payments", paid)
    return made
