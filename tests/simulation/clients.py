"""
Clients of the simulated installation: an organiser, and players who retry until they know.

A request may be lost, doubled, or answered late. A client repeats it with the same identifier, to
any API process, as the public API asks of clients.
"""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import timedelta
from hashlib import sha256
from types import SimpleNamespace
from typing import Any, Final, cast
from uuid import UUID

from msgspec.structs import replace

from engine import league as leagues
from engine import season as seasons
from engine import tournament as tournaments
from engine.errors import CommandRejected
from engine.league.commands import AddMember, CreateLeague
from engine.rulesets import resolve, ruleset_hash
from engine.season.commands import OpenSeason
from engine.table.model.commands import ComeBack
from engine.table.model.state import Table
from engine.table.read.view import seen_by
from engine.tournament.model.commands import Announce, Register
from engine.tournament.model.state import Running
from engine.values import (
    EntrantId,
    LeagueId,
    PlayerId,
    SeasonId,
    TournamentId,
    identifier,
    number_of,
    stream_of,
)
from service.base.errors import ServiceError, StoreUnavailable
from service.base.uuids import uuid5
from service.director import admission, submitting
from service.director.runtime import Runtime
from service.log.streams import table_stream, tournament_stream
from service.log.writer import Order, Receipt
from service.sandbox.generating.chance import Dice
from service.sandbox.generating.evening import decided
from service.sandbox.generating.players import MANIAC, answer, mood
from service.sandbox.generating.terms import PLAIN, season_terms
from service.sandbox.generating.world import SeededEntropy
from tests.simulation.checks import Broken, Referee
from tests.simulation.processes import Installation

NAMESPACE: Final = UUID("5abacc00-0000-5000-8000-73696d756c61")
ANSWER_SECONDS: Final = 4.0
PATIENCE: Final = 60
"""The number of answers after which a player plays as a maniac, so that the evening ends."""

Do = Callable[[Runtime, Order], Awaitable[Any]]


class Line:
    """
    The line between a client and the API processes.

    Args:
        house: The installation.
        referee: Checks the answers that clients get.
        dice: The source of every choice.
    """

    def __init__(self, house: Installation, referee: Referee, dice: Dice) -> None:
        self._house = house
        self._referee = referee
        self._dice = dice

    async def ask(self, work: Callable[[Runtime], Awaitable[Any]]) -> Any:
        """Send a request once. Return its answer, or None if none comes."""
        chaos, loop = self._house.chaos, self._house.loop
        told: asyncio.Future[Any] = loop.create_future()
        await chaos.pause(0.05)
        if not chaos.happens("request lost", 0.03):
            self._dice.one(self._house.apis).serve(work, told)
        if chaos.happens("request doubled", 0.03):
            self._dice.one(self._house.apis).serve(work, told)
        try:
            async with asyncio.timeout(ANSWER_SECONDS):
                return await told
        except TimeoutError:
            return None

    async def command(self, key: str, actor: str, do: Do, *, tries: int = 1000) -> Any:
        """
        Send a command until it is answered. Return its receipt, its refusal, or None.

        Raises:
            Broken: If the answer contradicts the log.
        """
        command_id = uuid5(NAMESPACE, key)

        async def work(runtime: Runtime) -> Any:
            held = self._referee.holds(command_id)
            order = Order(
                command_id=command_id,
                actor=actor,
                received_at=runtime.clock.now(),
                request=sha256(key.encode()).digest(),
            )
            try:
                return await do(runtime, order)
            except (CommandRejected, ServiceError) as refusal:
                if not isinstance(refusal, StoreUnavailable):
                    return refusal, held
                raise

        for _ in range(tries):
            match await self.ask(work):
                case None | StoreUnavailable() | OSError():
                    await asyncio.sleep(0.1 + self._dice.below(900) / 1000)
                case Receipt() as receipt:
                    self._referee.told(receipt)
                    return receipt
                case (CommandRejected() | ServiceError() as refusal, bool(held)):
                    self._referee.refused(command_id, refusal.code, held=held)
                    return refusal
                case Exception() as error:
                    raise Broken(f"a request ended in {type(error).__name__}: {error}") from error
                case other:
                    return other
        return None


class Organiser:
    """An organiser, who founds a league and announces evenings."""

    def __init__(self, house: Installation, line: Line, dice: Dice, players: int) -> None:
        self._house = house
        self._line = line
        self._dice = dice
        entropy = self._entropy = SeededEntropy(f"{house.seed}/names")
        self.league = LeagueId(identifier("lge", entropy.uuid()))
        self.season = SeasonId(identifier("ssn", entropy.uuid()))
        self.owner = PlayerId(identifier("plr", entropy.uuid()))
        self.players = [PlayerId(identifier("plr", entropy.uuid())) for _ in range(players)]
        house.server.relations.leagues.append(number_of(self.league))

    async def found(self) -> None:
        """Create the league, add the players, and open a season."""
        now = self._house.clock.now
        make = CreateLeague(league=self.league, name="Coruscant", owner=self.owner, sandbox=True)
        await self._decide("found", self.league, leagues.decider, make)
        for player in self.players:
            member = AddMember(player=player, now=now())
            await self._decide(f"add {player}", self.league, leagues.decider, member)
        begin = OpenSeason(
            season=self.season,
            league=self.league,
            name="Spring",
            **season_terms(self._dice),
            master=self._entropy.token(),
            salt=self._entropy.token(),
            now=now(),
        )
        await self._decide("season", self.season, seasons.decider, begin)

    async def announce(self) -> TournamentId:
        """Announce an evening that starts in a minute, and open its registration."""
        name = TournamentId(identifier("trn", self._entropy.uuid()))
        game = self._dice.one(PLAIN)
        ruleset = resolve(game.preset, game.overrides)
        terms = Announce(
            tournament=name,
            league=self.league,
            season=self.season,
            name="Evening",
            ruleset=ruleset,
            ruleset_name=game.preset,
            ruleset_hash=ruleset_hash(ruleset),
            starting_stack=min(game.stacks),
            starts_at=self._house.clock.now() + timedelta(seconds=60),
            table_seats=self._dice.between(2, 4),
            entrants_max=len(self.players),
            decision_seconds=10,
            grace_seconds=self._dice.below(2),
            hands_between_seconds=self._dice.one((0, 0, 2)),
        )
        await self._decide(f"announce {name}", name, tournaments.decider, terms)

        async def open_it(runtime: Runtime, _order: Order) -> str:
            await submitting.open_registration(runtime, self.league, name)
            return "opened"

        await self._line.command(f"open {name}", self.owner, open_it)
        return name

    async def _decide(self, key: str, subject: str, decider: Any, command: Any) -> None:
        async def do(runtime: Runtime, order: Order) -> Receipt:
            return await decided(runtime, self.league, subject, decider, command, order)

        told = await self._line.command(key, self.owner, do)
        if not isinstance(told, Receipt):
            raise Broken(f"{key} was answered by {told!r}")


class Player:
    """A player, who enters each evening and plays it to the end."""

    def __init__(
        self, house: Installation, line: Line, referee: Referee, dice: Dice, name: PlayerId
    ) -> None:
        self._house = house
        self._line = line
        self._referee = referee
        self._dice = dice
        self._name = name
        self._own = SimpleNamespace(
            clock=house.clock, entropy=SeededEntropy(f"{house.seed}/own/{name}")
        )

    async def evening(self, league: LeagueId, tournament: TournamentId) -> None:
        """Enter, and answer until the tournament is over."""
        entrant = await self._enter(league, tournament)
        mooded, answers = mood(self._dice), 0
        while not self._referee.over(tournament_stream(tournament)):
            await asyncio.sleep(0.3 + self._dice.below(1500) / 1000)
            table = await self._look(league, tournament, entrant)
            if table is None:
                continue
            self._referee.shown(table, entrant)
            place = next((each for each in table.places if each.entrant == entrant), None)
            if place is not None and place.away:
                back = ComeBack(entrant=entrant)
                await self._send(league, table, back, f"back {self._own.entropy.token()}")
            decision = table.decision
            if place is None or decision is None or table.held is not None:
                continue
            if place.seat in decision.seats and not self._dice.happens(0.03):
                answers += 1
                how = MANIAC if answers > PATIENCE else mooded
                command = answer(cast("Runtime", self._own), self._dice, table, entrant, how)
                await self._send(league, table, command, f"{entrant} {answers} {table.table}")

    async def _enter(self, league: LeagueId, tournament: TournamentId) -> EntrantId:
        entrant = EntrantId(identifier("ent", self._own.entropy.uuid()))

        async def do(runtime: Runtime, order: Order) -> Receipt:
            asked = Register(
                entrant=entrant,
                player=self._name,
                bot=True,
                table_ids=admission.table_ids(order),
                now=runtime.clock.now(),
            )
            return await submitting.submit_to_tournament(runtime, league, tournament, asked, order)

        await self._line.command(f"enter {entrant}", self._name, do)
        return entrant

    async def _look(
        self, league: LeagueId, tournament: TournamentId, entrant: EntrantId
    ) -> Table | None:
        async def work(runtime: Runtime) -> Table | str:
            writer = runtime.writer
            state = (await writer.load(league, stream_of(tournament))).state
            for seating in state.tables if isinstance(state, Running) else ():
                if seating.seat_of(entrant) is not None:
                    there = (await writer.load(league, table_stream(seating.table))).state
                    if isinstance(there, Table):
                        seen_by(there, entrant)
                        return there
            return "nowhere"

        found = await self._line.ask(work)
        return found if isinstance(found, Table) else None

    async def _send(self, league: LeagueId, table: Table, command: Any, key: str) -> None:
        async def do(runtime: Runtime, order: Order) -> Receipt:
            asked = command
            if hasattr(command, "now"):
                asked = replace(command, now=runtime.clock.now())
            return await submitting.submit_to_table(runtime, league, table.table, asked, order)

        await self._line.command(key, self._name, do, tries=6)
