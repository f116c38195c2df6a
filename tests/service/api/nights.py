"""A league that was played through the writer and is read through the API."""

from datetime import datetime
from typing import Any

from engine.league.commands import AddMember
from engine.league.roles import Role
from engine.values import PlayerId, stream_of
from service.director.runtime import open_runtime
from service.director.submitting import start_tournament
from tests.service.api.conftest import Api, Person
from tests.service.api.proof.test_evidence import project
from tests.service.league_night import Night
from tests.support.databases import TestDatabase
from tests.support.logs import utcnow

__all__ = ["pages", "project", "start_by_clock", "visitor"]


async def visitor(api: Api, night: Night, role: Role = "player") -> Person:
    """Sign somebody up and add them to the league of *night*, after it was played."""
    person = await api.person()
    night._writer = api.app.shell.runtime.writer
    command = AddMember(player=PlayerId(person.player), role=role, now=utcnow())
    await night.ask((stream_of(night.league), [command]))
    return person


async def start_by_clock(database: TestDatabase, person: Person, tournament: str) -> None:
    """Do what the house does at the announced start, as if it were that instant."""
    shown = (await person.get(f"/v1/tournaments/{tournament}")).json()
    now = datetime.fromisoformat(shown["starts_at"])
    async with open_runtime(database.settings("holotable_worker")) as runtime:
        await start_tournament(runtime, shown["league"], tournament, now, scheduled=True)


async def pages(person: Person, path: str, **query: Any) -> list[Any]:
    """Return all items of a list, read page by page."""
    found: list[Any] = []
    cursor = None
    while True:
        asked = query if cursor is None else {**query, "cursor": cursor}
        answer = await person.get(path, params=asked)
        assert answer.status_code == 200, answer.text
        page = answer.json()
        assert ("link" in answer.headers) == (page["next_cursor"] is not None)
        found += page["items"]
        cursor = page["next_cursor"]
        if cursor is None:
            return found
