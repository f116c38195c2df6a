"""A big league over the API: 300 members, 40 evenings, and 200 entrants at 25 tables."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from random import Random, sample
from typing import Any

from tests.service.api.conftest import Person
from tests.service.console.conftest import Console

MEMBERS, ENTRANTS, EVENINGS, SEATS = 300, 200, 40, 8
_SYLLABLES = (
    "an", "ba", "cor", "den", "el", "fa", "gor", "ha", "is", "jo", "ka", "lun", "mar", "ne", "or",
    "pe", "qi", "ras", "so", "ta", "ul", "ven", "wic", "xa", "yl", "zo",
)  # fmt: skip


@dataclass
class Crowd:
    """The league."""

    owner: Person
    league: str
    season: str
    players: list[str]
    coming: str
    """An evening that is entered by 200 and has not begun."""

    live: str
    """An evening that 200 play at 25 tables."""


def names() -> list[str]:
    """Return the names of all members."""
    drawn = Random(MEMBERS)

    def word(syllables: int) -> str:
        return "".join(drawn.choice(_SYLLABLES) for _ in range(syllables)).capitalize()

    return [f"{word(2)} {word(3)}" for _ in range(MEMBERS)]


async def csv(owner: Person, path: str, rows: list[str], **query: str) -> Any:
    """Send a list to the API."""
    headers = owner.headers | {"Content-Type": "text/csv", "Idempotency-Key": path[-30:]}
    answer = await owner.http.post(path, content="\n".join(rows), headers=headers, params=query)
    assert answer.is_success, answer.text
    return answer.json()


async def made(owner: Person, path: str, body: Any = None) -> Any:
    """Send a command, and return its answer."""
    answer = await owner.post(path, body)
    assert answer.is_success, answer.text
    return answer.json()


async def gathered(console: Console) -> Crowd:
    """Found the league, and bring everybody together."""
    owner, league = await console.api.league("public")
    about = f"/v1/leagues/{league}"
    imported = await csv(owner, f"{about}/members/import", ["name", *names()])
    players = [each["player"] for each in imported["rows"]]
    season = (await made(owner, f"{about}/seasons", {"name": "Winter"}))["id"]
    past = [
        f"Night {night},{player},{place},{MEMBERS - place}"
        for night in range(1, 31)
        for place, player in enumerate(sample(players, 60), 1)
    ]
    await csv(
        owner, f"{about}/past-seasons", ["tournament,player,place,points", *past], season=season
    )
    evenings = []
    for number in range(EVENINGS):
        starts = datetime.now(UTC) + timedelta(days=number // 2, hours=2 + number)
        asked = {
            "name": f"Evening {number + 1}", "ruleset": "better", "season": season,
            "starts_at": starts.isoformat(), "entrants_max": ENTRANTS, "table_seats": SEATS,
            "entry": {"check_in_opens_before_seconds": 36000}, "hands_between_seconds": 60,
            "currency": "EUR", "fees": {"buy_in": 1000},
        }  # fmt: skip
        evenings.append((await made(owner, f"{about}/tournaments", asked))["id"])
    for each in evenings[:2]:
        changes = [{"type": "enter", "player": player} for player in players[:ENTRANTS]]
        await made(owner, f"/v1/tournaments/{each}/registrations/bulk", {"changes": changes})
    entered = (await owner.get(f"/v1/tournaments/{evenings[1]}")).json()["entrants"]
    changes = [{"type": "check_in", "entrant": each["id"]} for each in entered]
    await made(owner, f"/v1/tournaments/{evenings[1]}/registrations/bulk", {"changes": changes})
    await made(owner, f"/v1/tournaments/{evenings[1]}/start")
    return Crowd(owner, league, season, players, *evenings[:2])
