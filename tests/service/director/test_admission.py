"""An entry is decided again if its player is banned meanwhile."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

import pytest

from engine.coordination.aggregates import DECIDERS
from engine.league.bans import BanPlayer
from engine.league.commands import AddMember, ChangeRole, CreateLeague, RemoveMember
from engine.league.errors import PlayerBanned
from engine.season.commands import OpenSeason
from engine.tournament.model.errors.entering import OfficeHeld
from engine.values import BanId, TextId, TextRef, stream_of
from service.base.errors import StreamNotFound
from service.director.admission import admitted
from service.log.store import PostgresStore
from service.log.writer import States, StreamEvents, Writer
from tests.engine.tournament.test_late_entry import playing
from tests.service.league_night import named
from tests.support.counters import command
from tests.support.databases import SECRET_KEY, TestDatabase

pytestmark = pytest.mark.anyio

LEAGUE, OWNER, PLAYER = named("lge", "door"), named("plr", "owner"), named("plr", "player")
NOW = datetime(2026, 11, 20, tzinfo=UTC)

ban = BanPlayer(
    ban=BanId("ban_" + "1" * 32),
    player=PLAYER,
    until=None,
    reason=TextRef(text=TextId("txt_" + "2" * 32), digest="cd" * 32),
    salt="5a" * 32,
    now=NOW,
)


async def ask(writer: Writer, *asked: Any) -> None:
    """Have the league decide the commands in one append."""

    async def decide(states: States) -> Sequence[StreamEvents]:
        state, events = (await states.load(stream_of(LEAGUE))).state, []
        for each in asked:
            caused, state = DECIDERS["league"].carry_out(state, each)
            events.extend(caused)
        return [StreamEvents(stream_of(LEAGUE), events)]

    await writer.submit(LEAGUE, command(), decide)


@pytest.mark.parametrize(
    ("meanwhile", "refusal"),
    [
        (ban, PlayerBanned),
        (RemoveMember(player=PLAYER), StreamNotFound),
        (ChangeRole(player=PLAYER, role="auditor"), OfficeHeld),
    ],
)
async def test_what_happens_between_the_look_and_the_append_counts(
    database: TestDatabase, meanwhile: Any, refusal: type[Exception]
) -> None:
    here, there = [
        Writer(PostgresStore(database.url(), SECRET_KEY), DECIDERS, lambda: datetime.now(UTC))
        for _ in range(2)
    ]
    for each in (here, there):
        await each.start()
    await ask(here, CreateLeague(league=LEAGUE, name="Door", owner=OWNER))
    await ask(here, AddMember(player=PLAYER, now=NOW))
    looks = 0
    season = named("ssn", str(uuid4()))
    opening = OpenSeason(
        season=season, league=LEAGUE, name="One", now=NOW, master="6b" * 32, salt="7c" * 32
    )

    async def enter(states: States) -> Sequence[StreamEvents]:
        nonlocal looks
        looks += 1
        guard = await admitted(states, LEAGUE, PLAYER, NOW, playing(2).state)
        await ask(there, meanwhile)
        state = (await states.load(stream_of(season))).state
        return [StreamEvents(stream_of(season), DECIDERS["season"].decide(state, opening)), guard]

    with pytest.raises(refusal):
        await here.submit(LEAGUE, command(), enter)
    assert looks == 2
    for each in (here, there):
        await each.aclose()
