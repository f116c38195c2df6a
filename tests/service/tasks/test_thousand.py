"""
A thousand entrants at 125 tables play to the last chip through the writer and PostgreSQL.

Play is wild: a player who may raise goes all-in half of the time.  There are no-shows and
fifty late entrants.  Players step away and come back, some are disqualified, and many bust
in the same hand.  One forfeits the result afterwards.
The test checks all this by simple sums over the log.
"""

import asyncio
import contextlib
import random
from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

import msgspec
import pytest

from engine import league, season
from engine import tournament as tournaments
from engine.errors import CommandRejected
from engine.league.commands import AddMember, CreateLeague
from engine.season.commands import OpenSeason
from engine.table.model.commands import ComeBack, StepAway
from engine.table.model.state import Table
from engine.table.read.view import seen_by
from engine.tournament.model.commands import Register
from engine.tournament.model.commands.correcting import Forfeit
from engine.tournament.model.commands.entering import CheckIn, CloseLateRegistration
from engine.tournament.model.commands.floor import Disqualify
from engine.tournament.model.state import Finished, Running
from engine.tournament.model.terms import EntryTerms
from engine.values import (
    EntrantId,
    LeagueId,
    PlayerId,
    SeasonId,
    TextRef,
    identifier,
    number_of,
    stream_of,
)
from service.base.database import async_engine
from service.director import admission, submitting
from service.director.runtime import Runtime, open_runtime
from service.log.read import read_stream
from service.people.texts import NewText, keep_text
from tests.service.audit.test_audit import audited
from tests.service.director.test_directing import announced, command, decided
from tests.support import play
from tests.support.databases import TestDatabase

pytestmark = [pytest.mark.long, pytest.mark.slow, pytest.mark.anyio]

ENTRANTS = 1_000
NO_SHOWS = 10
"""Entrants who register but do not check in, so their places are released."""

LATE = 50
"""Entrants who come during play and get a full stack."""

PLAYING = ENTRANTS - NO_SHOWS
SEATS = 8
STACK = 60
AT_ONCE = 32
"""The number of tables that answer a decision at the same time."""

DISQUALIFIED = 5
TOLERANCE = 1
DIRECTOR = PlayerId("plr_" + "9" * 32)


class Crowd:
    """All players of one tournament. The seed is fixed, so their choices repeat."""

    def __init__(self, runtime: Runtime, league_id: str, tournament: str, because: TextRef) -> None:
        self.runtime = runtime
        self.because = because
        self.league = league_id
        self.tournament = tournament
        self.random = random.Random(1_000)
        self.actions = 0
        self.disqualified: list[str] = []
        self.away: set[str] = set()
        self.late = 0

    async def load(self, subject: str) -> Any:
        return (await self.runtime.writer.load(self.league, stream_of(subject), fresh=False)).state

    async def play(self) -> Finished:
        """Play to the end, with late entrants, absences and disqualifications now and then."""
        idle = 0
        while True:
            state = await self.load(self.tournament)
            if isinstance(state, Finished):
                return state
            assert isinstance(state, Running)
            tables = [each.table for each in state.tables]
            acted = 0
            for at in range(0, len(tables), AT_ONCE):
                acted += sum(await asyncio.gather(*map(self.answer, tables[at : at + AT_ONCE])))
            self.actions += acted
            free = len(state.tables) * SEATS - sum(len(each.seats) for each in state.tables)
            if acted and self.late < LATE and free > SEATS:
                # Levels are counted by table, so no table is added.
                # A late entrant takes a free seat.
                await self.come_late()
            if acted and self.random.random() < 0.1:
                # The entrant may have moved since this state was read, so a refusal is correct.
                with contextlib.suppress(CommandRejected):
                    await self.chaos(await self.load(self.tournament))
            idle = 0 if acted else idle + 1
            assert idle < 3_000, "nobody is asked any more, and it does not end"
            if not acted:
                await asyncio.sleep(0.01)  # the next hands open in the background

    async def come_late(self) -> None:
        """Register the next late entrant. Close late registration after the last of them."""
        player = PlayerId(f"plr_{ENTRANTS - LATE + self.late:032x}")
        now = self.runtime.clock.now()
        member = AddMember(player=player, now=now)
        await decided(self.runtime, self.league, self.league, league.decider, member)
        order = command(self.runtime)
        entrant = EntrantId(identifier("ent", self.runtime.entropy.uuid()))
        ids = admission.table_ids(order)
        asked = Register(entrant=entrant, player=player, bot=True, table_ids=ids, now=now)
        await submitting.submit_to_tournament(
            self.runtime, self.league, self.tournament, asked, order
        )
        self.late += 1
        if self.late == LATE:
            # While late registration is open, the last remaining entrant waits for others.
            over = CloseLateRegistration(now=self.runtime.clock.now())
            await submitting.submit_to_tournament(
                self.runtime, self.league, self.tournament, over, command(self.runtime)
            )

    async def answer(self, table: str) -> bool:
        """Answer the open decision for one seat. Return False if none is open."""
        state = await self.load(table)
        if not isinstance(state, Table) or state.decision is None:
            return False
        decision = state.decision
        entrant = state.at(decision.seats[0]).entrant
        view = seen_by(state, entrant)
        order = command(self.runtime)
        asked = (self.runtime, self.league, table, order, entrant, decision.token)
        if decision.phase == "select":
            assert view.me is not None
            await play.select(*asked, view.me.cards[: 1 + self.random.randrange(3)])
        elif decision.phase == "improve":
            await play.improve(*asked, ())
        else:
            await play.act(*asked, *self.bet({each.verb: each for each in view.legal}))
        return True

    def bet(self, legal: dict[str, Any]) -> tuple[Any, ...]:
        """Return the verb, amount and expected amount: as much as possible, or as little."""
        mood = self.random.random()
        if "raise_to" in legal and mood < 0.5:
            return "raise_to", legal["raise_to"].max
        if "check" in legal:
            return ("check",)
        if "call" in legal and mood < 0.85:
            return "call", None, legal["call"].amount
        return ("fold",)

    async def chaos(self, state: Any) -> None:
        """Disqualify an entrant, or let one step away or come back."""
        if not isinstance(state, Running):
            return
        seating = self.random.choice(state.tables)
        entrant = self.random.choice(seating.seats).entrant if seating.seats else None
        if entrant is None:
            return
        if len(self.disqualified) < DISQUALIFIED and len(state.remaining()) > 100:
            ruling = Disqualify(
                entrant=entrant, by=DIRECTOR, reason=self.because, now=self.runtime.clock.now()
            )
            asked = command(self.runtime)
            await submitting.submit_to_tournament(
                self.runtime, self.league, self.tournament, ruling, asked
            )
            self.disqualified.append(entrant)
            return
        table = await self.load(seating.table)
        if not isinstance(table, Table) or all(each.entrant != entrant for each in table.places):
            return
        away = entrant not in self.away
        self.away ^= {entrant}
        asked = StepAway(entrant=entrant) if away else ComeBack(entrant=entrant)
        await submitting.submit_to_table(
            self.runtime, self.league, seating.table, asked, command(self.runtime)
        )


async def because(database: TestDatabase, league_id: str) -> TextRef:
    """Store the one reason that the director gives for every ruling."""
    engine = async_engine(database.url("holotable_api"), 1)
    draft = NewText(league_id, number_of(DIRECTOR), "the rules say so")
    now = datetime(2026, 11, 20, tzinfo=UTC)
    found = await keep_text(engine, uuid4(), draft, salt=bytes(32), now=now)
    await engine.dispose()
    return found


async def test_a_thousand_entrants_play_to_the_last_chip(database: TestDatabase) -> None:
    async with open_runtime(database.settings("holotable_api")) as runtime:
        league_id, tournament, season_id = await opened(runtime)
        crowd = Crowd(runtime, league_id, tournament, await because(database, league_id))
        await submitting.start_tournament(runtime, league_id, tournament, runtime.clock.now())
        finished = await crowd.play()
        await submitting.award_points(runtime, league_id, tournament)
        loser = finished.placings[1].entrant
        forfeit = Forfeit(entrant=loser, by=DIRECTOR, reason=crowd.because, now=runtime.clock.now())
        await submitting.submit_to_tournament(
            runtime, league_id, tournament, forfeit, command(runtime)
        )
        await submitting.award_points(runtime, league_id, tournament)
        events = await story(runtime, league_id, tournament)
        standings = (await runtime.writer.load(league_id, stream_of(season_id))).state.standings()

    hold_everybody(events, crowd)
    hold_sizes(events)
    result = [each for each in events if each["type"] == "result_corrected"][-1]["data"]
    hold_money(result)
    hold_points(result, standings)
    report = await audited(database, league_id)
    assert report.passed, report.text()
    print(f"{crowd.actions} actions, {report.hands} hands, {report.events} events")


def hold_everybody(events: Sequence[dict[str, Any]], crowd: Crowd) -> None:
    """Check that no entrant is lost, counted twice or given two places."""
    registered = [e["data"]["entrant"] for e in events if e["type"] == "entrant_registered"]
    released = [e["data"]["entrant"] for e in events if e["type"] == "no_show_released"]
    placed = [e["data"]["entrant"] for e in events if e["type"] == "entrant_eliminated"]
    finished = next(e["data"] for e in events if e["type"] == "tournament_finished")
    everyone = [each["entrant"] for each in finished["placings"]]
    assert (len(registered), len(released), crowd.late) == (ENTRANTS, NO_SHOWS, LATE)
    assert sorted(registered) == sorted([*everyone, *released])
    assert len(set(placed)) == len(placed) == PLAYING - 1
    assert len(crowd.disqualified) == DISQUALIFIED and set(crowd.disqualified) <= set(placed)
    assert crowd.away, "nobody ever stepped away"
    together = Counter(
        (e["data"]["table"], e["data"]["hand"]) for e in events if e["type"] == "entrant_busted"
    )
    assert max(together.values()) > 1, "never two in one hand: the test proves less than it says"


def hold_sizes(events: Sequence[dict[str, Any]]) -> None:
    """Check that every seat has at most one entrant, and every table at most its seats."""
    seats: dict[tuple[str, int], str] = {}
    broken = tables = 0
    for event in events:
        data = event["data"]
        if event["type"] == "seats_drawn":
            for each in data["assignments"]:
                assert seats.setdefault((each["table"], each["seat"]), each["entrant"])
            sizes = Counter(table for table, _ in seats)
            tables = len(sizes)
            assert max(sizes.values()) - min(sizes.values()) <= TOLERANCE
        elif event["type"] in ("late_seat_drawn", "table_added"):
            tables += event["type"] == "table_added"
            assert (
                seats.setdefault((data["table"], data["seat"]), data["entrant"])
                == (data["entrant"])
            )
        elif event["type"] in ("entrants_moved", "table_broken"):
            broken += event["type"] == "table_broken"
            for each in data["moves"]:
                assert seats.pop((each["from_table"], each["from_seat"])) == each["entrant"]
            for each in data["moves"]:
                place = (each["to_table"], each["to_seat"])
                assert place not in seats and 1 <= each["to_seat"] <= SEATS
                seats[place] = each["entrant"]
        elif event["type"] in ("entrant_busted", "entrant_disqualified"):
            gone = [place for place, who in seats.items() if who == data["entrant"]]
            assert len(gone) == 1
            del seats[gone[0]]
    assert len(seats) == 1
    assert broken == tables - 1


def hold_money(result: dict[str, Any]) -> None:
    """Check that payouts add up to the pool, fall by place and skip forfeited entrants."""
    assert sum(each["amount"] for each in result["payouts"]) == 100_003
    amounts = [each["amount"] for each in sorted(result["payouts"], key=lambda e: e["place"])]
    assert amounts == sorted(amounts, reverse=True)
    assert not {each["entrant"] for each in result["payouts"]} & set(result["forfeited"])


def hold_points(result: dict[str, Any], standings: Sequence[Any]) -> None:
    """Check that place k of n is worth n - k + 1 points, and that shared places average."""
    due = {}
    for each in result["placings"]:
        places = range(each["place"], each["place"] + each["shared"])
        due[each["player"]] = sum(PLAYING - place + 1 for place in places) / each["shared"]
    assert {each.player: float(each.points) for each in standings} == due


async def opened(runtime: Runtime) -> tuple[str, str, str]:
    """Make a league and a season, and announce the tournament with its registered entrants."""
    league_id = LeagueId(identifier("lge", runtime.entropy.uuid()))
    season_id = SeasonId(identifier("ssn", runtime.entropy.uuid()))
    owner = PlayerId(identifier("plr", runtime.entropy.uuid()))
    make = CreateLeague(league=league_id, name="Coruscant", owner=owner, sandbox=True)
    await decided(runtime, league_id, league_id, league.decider, make)
    begin = OpenSeason(
        season=season_id, league=league_id, name="Spring", now=runtime.clock.now(),
        master=runtime.entropy.token(), salt=runtime.entropy.token(),
    )  # fmt: skip
    await decided(runtime, league_id, season_id, season.decider, begin)
    _, tournament = await announced(
        runtime, ENTRANTS - LATE, league_id=league_id, season=season_id, starting_stack=STACK,
        table_seats=SEATS, entrants_max=ENTRANTS, decision_seconds=600,
        prize_pool=100_003, currency="EUR", payouts=(50, 30, 20),
        entry=EntryTerms(
            check_in_opens_before_seconds=2 * 3600, late_registration_seconds=3600
        ),
    )  # fmt: skip
    entrants = (await runtime.writer.load(league_id, stream_of(tournament))).state.entrants
    for each in entrants[NO_SHOWS:]:
        there = CheckIn(entrant=each.entrant, now=runtime.clock.now())
        await decided(runtime, league_id, tournament, tournaments.decider, there)
    return league_id, tournament, season_id


async def story(runtime: Runtime, league_id: str, tournament: str) -> list[dict[str, Any]]:
    """Return the type and data of the tournament's events, in the order of the log."""
    found: list[dict[str, Any]] = []
    async with runtime.pool.acquire() as connection:
        while chunk := await read_stream(connection, league_id, stream_of(tournament), len(found)):
            found += [{"type": e.type, "data": msgspec.json.decode(e.data)} for e in chunk]
    return found
