"""A league with one object of every kind, for tests that open every screen."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from service.notices.opting_out import OptOut, code_of
from tests.browser.house import House, Person

SECONDS = 40
NIGHT = {
    "ruleset": "better_simple", "hands_between_seconds": 0, "decision_seconds": 3600,
    "starting_stack": 60, "prize_pool": 900, "currency": "EUR", "payouts": [6, 3],
}  # fmt: skip
LONG_NAME = "The long night of the old town, with a name that needs two lines"


@dataclass(frozen=True)
class Scenery:
    """A public league: the names of its people, and its objects."""

    owner: Person
    member: Person
    """A player, seated in the night that runs."""

    scenes: tuple[dict[str, str], ...]
    """
    The values of the names in paths. The first scene is the night that runs, the second the one
    that is over, the third the one to come. Everything else is the same in all.
    """


def eventually(found: Callable[[], Any], seconds: float = SECONDS) -> Any:
    """Wait until *found* returns something, and return it."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        value = found()
        if value:
            return value
        time.sleep(0.1)  # no signal tells that a read model has caught up, so ask again
    raise AssertionError("it did not come about")


def prepared(house: House, *secret_keys: str) -> Scenery:
    """
    Found the league, play a night in it, begin another, and announce a third.

    Args:
        secret_keys: The keys of the settings, which sign the codes in mails.
    """
    owner, league = house.league("Cloud City", "public")
    people = [house.join(owner, league, name=each) for each in ("Mara Jade", "Chewbacca")]
    season = owner.post(f"/v1/leagues/{league}/seasons", {"name": "Winter"})["id"]
    over = _begun(owner, league, people, season=season, name=LONG_NAME, hands_max=1)
    live = _begun(owner, league, people, name="Thursday")
    played = _folded(owner, people, over)
    soon = (datetime.now(UTC) + timedelta(hours=20)).isoformat()
    coming = house.evening(owner, league, season=season, starts_at=soon)
    people[0].post(f"/v1/tournaments/{coming}/registrations")
    about = {"kind": "payout", "tournament": over["tournament"]}
    dispute = people[0].post("/v1/disputes", about | {"claim": "He folded."})["id"]
    asked = {"tournament": over["tournament"]}
    audit = owner.post(f"/v1/leagues/{league}/audits", asked)["operation"]
    named = {"name": "Han Solo"}
    claim = owner.post(f"/v1/leagues/{league}/players", named)["claim"]
    eventually(lambda: owner.get(f"/v1/seasons/{season}/standings")["items"])
    eventually(lambda: owner.get(f"/v1/hands/{played}"))
    mail = OptOut(UUID(hex=people[0].player[4:]), "mail", "result")
    screen = owner.post(f"/v1/tournaments/{coming}/screen-keys")
    common = {
        "opt_out": code_of(mail, *secret_keys), "key": screen["key"],
        "league": league, "season": season, "dispute": dispute, "player": people[0].player,
        "hand": played, "audit": audit, "operation": audit, "preset": "better", "claim": claim,
        "code": owner.post(f"/v1/leagues/{league}/invitations", {"uses": 9})["code"],
    }  # fmt: skip
    scenes = (common | live, common | over, common | live | {"tournament": coming})
    return Scenery(owner, people[0], scenes)


def _begun(owner: Person, league: str, people: list[Person], **terms: Any) -> dict[str, str]:
    """Start a night, and return its names once a player has to act."""
    made = owner.post(f"/v1/leagues/{league}/tournaments", NIGHT | terms)["id"]
    for each in people:
        entrant = each.post(f"/v1/tournaments/{made}/registrations")["entrant"]
    owner.post(f"/v1/tournaments/{made}/start")
    tables = eventually(lambda: owner.get(f"/v1/tournaments/{made}")["tables"])
    table = tables[0]["id"]
    eventually(lambda: people[0].get(f"/v1/tables/{table}")["decision"])
    return {"tournament": made, "table": table, "entrant": entrant}


def _folded(owner: Person, people: list[Person], night: dict[str, str]) -> str:
    """Play the only hand of a night, and return it once the night is over."""
    table = f"/v1/tables/{night['table']}"

    def over() -> bool:
        for each in people:
            view = each.get(table)
            if view["my_turn"]:
                body: dict[str, Any] = {"decision": view["decision"]["token"], "type": "fold"}
                if view["phase"] == "select":
                    body |= {"type": "select", "cards": view["me"]["cards"][:1]}
                each.post(f"{table}/actions", body)
        return bool(owner.get(f"/v1/tournaments/{night['tournament']}")["state"] == "finished")

    hand = str(people[0].get(table)["hand"])
    eventually(over)
    return hand
