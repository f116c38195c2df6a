"""One tournament of a generated season, played from its announcement to its recorded heads."""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime, timedelta

from engine import tournament
from engine.errors import CommandRejected
from engine.kit.rng import entropy_commitment
from engine.table.model.state import Table
from engine.tournament.model.commands import Announce, RaiseLevels, Withdraw
from engine.tournament.model.commands.entering import (
    AnnounceDraft,
    AnswerOffer,
    Approve,
    CheckIn,
    Draft,
)
from engine.tournament.model.commands.fairness import CommitEntropy, PublishSeeds
from engine.tournament.model.state import Finished, Registering, Running
from engine.values import EntrantId, PlayerId, number_of, stream_of
from service.bundles.gathering import tables_of
from service.director import (
    breaks,
    closing_heads,
    decision_clock,
    entropy,
    next_hand,
    registration_clock,
    rounds,
    submitting,
)
from service.director.runtime import Runtime
from service.log.streams import tournament_stream
from service.sandbox.generating import claims, incidents
from service.sandbox.generating.chance import Dice
from service.sandbox.generating.evening import Evening
from service.sandbox.generating.players import ABSENT, MANIAC, answer, mood
from service.sandbox.generating.world import Stalled

PATIENCE = 160
"""The number of answers for each player after which everybody plays as a maniac."""

_IDLE_MAX = 2_000
_SWEEP = 30
"""After this many idle seconds, tables that wait for their next hand are looked for."""

_THINKING = (2, 5, 9)
"""The times for an answer, in tenths of a second."""


class Night(Evening):
    """One tournament that is played to its end."""

    def __init__(
        self, runtime: Runtime, dice: Dice, league: str, name: str, director: PlayerId
    ) -> None:
        super().__init__(runtime, dice, league, name, director)
        self.moods: dict[str, str] = {}
        self.late: list[PlayerId] = []
        """The players who enter after play has begun."""

        self.secrets: dict[EntrantId, str] = {}
        self.players = 0
        self._opened: list[str] = []
        self._read = 0
        """The number of the tournament's events in which opened tables were looked for."""

    # -- before play

    async def announce(self, terms: Announce) -> None:
        """Announce the tournament, sometimes from a draft, and open registration."""
        if self.dice.odd(0.2):
            whole = incidents.terms_of(terms)
            await self.decide(self.tournament, tournament.decider, Draft(terms=whole, now=self.now))
            published = AnnounceDraft(now=self.now)
            await self.decide(self.tournament, tournament.decider, published)
        else:
            await self.decide(self.tournament, tournament.decider, terms)
        await submitting.open_registration(self.runtime, self.league, self.tournament)

    async def enter(self, players: Sequence[PlayerId]) -> None:
        """Enter *players*, keep some for late registration, and sometimes withdraw one."""
        comers = self.dice.shuffled(players)
        state = await self.state()
        if state.terms.entry.late and len(comers) > 3:
            self.late = comers[3:][: self.dice.between(1, 2)]
            comers = [each for each in comers if each not in self.late]
        for player in comers:
            await self.register(player)
            await asyncio.sleep(1)
        state = await self.state()
        for applicant in state.entering.applicants:
            await self.ask(Approve(entrant=applicant.entrant, now=self.now))
        state = await self.state()
        if len(state.entrants) > 3 and self.dice.odd(0.3):
            gone = self.dice.one(state.entrants).entrant
            await self.ask(Withdraw(entrant=gone, now=self.now))
        state = await self.state()
        for waiter in state.entering.waiting:
            if waiter.offered_until is not None and self.dice.happens(0.7):
                yes = self.dice.happens(0.7)
                await self.ask(AnswerOffer(entrant=waiter.entrant, accepted=yes, now=self.now))

    async def begin(self) -> None:
        """Check entrants in, let some commit to entropy, and start at the announced time."""
        state = await self.state()
        opens = state.terms.entry.check_in_opens_before_seconds
        if opens is not None:
            await self.until(state.terms.starts_at - timedelta(seconds=opens - 1))
            await registration_clock.open_check_in(self.runtime, self.league, self.tournament)
            for each in (*state.entrants, *state.entering.waiting):
                if not self.dice.odd(0.2):
                    await self.ask(CheckIn(entrant=each.entrant, now=self.now))
        for each in (await self.state()).entrants:
            if self.dice.happens(0.3):
                secret = self.runtime.entropy.token()
                self.secrets[each.entrant] = secret
                commitment = entropy_commitment(bytes.fromhex(secret))
                await self.ask(
                    CommitEntropy(entrant=each.entrant, commitment=commitment, now=self.now)
                )
        for _ in range(5):
            state = await self.state()
            if not isinstance(state, Registering):
                return
            await self.until(state.terms.starts_at + timedelta(seconds=1))
            await submitting.start_tournament(
                self.runtime, self.league, self.tournament, self.now, scheduled=True
            )

    # -- play

    async def play(self) -> None:
        """Play until every table is closed."""
        await self.open_entropy()
        idle = 0
        while True:
            state = await self.state()
            if isinstance(state, Running):
                self.players = len(state.entrants)
                await self.tend(state)
            elif await self.all_closed():
                return  # a tournament cancelled during a hand still plays that hand to its end
            acted = False
            for table in await self.tables():
                acted = await self.answer(table) or acted
            if acted and isinstance(state, Running) and self.dice.odd(0.12):
                await incidents.happen(self)
            if acted and isinstance(state, Running) and self.court.dice.odd(0.02):
                await claims.in_play(self, state)
            idle = 0 if acted else idle + 1
            if idle > _IDLE_MAX:
                raise Stalled(f"{self.tournament} does not come to its end")
            if idle and idle % _SWEEP == 0:
                for table in await self.tables():
                    await incidents.return_to(self, table)
                    # A worker's watch does the same with tables that were left idle.
                    await next_hand.open_next_hand(self.runtime, self.league, table, fresh=True)
            await asyncio.sleep(0.1 if acted else 1.0)

    async def open_entropy(self) -> None:
        """Open the entropy of entrants who have committed to some. A few forget."""
        for entrant, secret in self.secrets.items():
            if self.dice.odd(0.3):
                continue
            with suppress(CommandRejected):
                await entropy.open_entropy(
                    self.runtime,
                    self.league,
                    self.tournament,
                    (entrant, secret),
                    self.order(entrant),
                )

    async def tables(self) -> list[str]:
        """Return all tables that the tournament has ever opened."""
        writer = self.runtime.writer
        keys = await writer.store.keys(number_of(self.league))
        stream = tournament_stream(self.tournament)
        rows = await writer.store.stream(keys.league, stream, self._read, 1_000_000)
        self._read += len(rows)
        opened = tables_of(writer.codec.decode(row, keys) for row in rows)
        self._opened = list(dict.fromkeys([*self._opened, *opened]))
        return self._opened

    async def all_closed(self) -> bool:
        """Return whether all tables of the tournament are closed."""
        states = [await self.state(each) for each in await self.tables()]
        return all(not isinstance(each, Table) or each.closed for each in states)

    async def answer(self, name: str) -> bool:
        """Answer a table's open decision for one seat. Return whether a decision was open."""
        table = await self.state(name)
        if not isinstance(table, Table) or table.decision is None or table.held is not None:
            return False
        decision = table.decision
        entrant = table.at(self.dice.one(decision.seats)).entrant
        how = self.moods.setdefault(entrant, mood(self.dice))
        self.actions += 1
        if self.actions > PATIENCE * max(2, self.players):
            how = MANIAC
        if how == ABSENT:
            await self.until(table.answered_by_clock_at(decision) + timedelta(seconds=1))
            with suppress(CommandRejected):
                await decision_clock.time_out(self.runtime, self.league, name, decision)
            return True
        await asyncio.sleep(self.dice.one(_THINKING) / 10)
        table = await self.state(name)
        if table.decision is None or table.decision.token != decision.token:
            return True
        return (
            await self.at_table(name, answer(self.runtime, self.dice, table, entrant, how)) or True
        )

    async def tend(self, state: Running) -> None:
        """Do the work that is due by time: levels, breaks, last hands, late players and rounds."""
        clock = state.clock
        if clock is not None and clock.due is not None and self.now >= clock.due:
            await self.ask(RaiseLevels(now=self.now))
        rest = state.floor.rest
        if rest is not None:
            await incidents.in_break(self, state)
            await self.until(rest.due)
            await breaks.end_due_break(self.runtime, self.league, self.tournament, rest.begun_by)
        last = state.terms.floor.last_hands_at
        if last is not None and self.now >= last:
            await breaks.call_last_hands(self.runtime, self.league, self.tournament)
        if state.entering.late_until is not None:
            await self.come_late(state, state.entering.late_until)
        if state.windows:
            await incidents.come_back(self, state)
        plan = state.rounds
        if plan is not None and plan.stage == "between" and plan.next_at is not None:
            await self.until(plan.next_at)
            await rounds.seat_round(self.runtime, self.league, self.tournament, plan.number)
        if state.terms.ruleset.score == "cash_out" and not state.closing:
            await incidents.in_casino(self, state)

    async def come_late(self, state: Running, until: datetime) -> None:
        """Enter the next late player, or re-enter a player who is out. Close late registration."""
        alone = len(state.remaining()) < 2
        if self.late and (self.actions > 4 or alone):
            await self.register(self.late.pop())
        elif self.dice.happens(0.05):
            out = [each.player for each in state.placings]
            if out:
                await self.register(self.dice.one(out))
        if not self.late and (self.actions > 30 or alone):
            # The last entrant left waits until late registration is over.
            await self.until(until + timedelta(seconds=1))
            await registration_clock.close_late_registration(
                self.runtime, self.league, self.tournament
            )

    # -- afterwards

    async def end(self) -> bool:
        """Award points, hear disputes and record heads. Return whether play finished."""
        for heard in self.court.dice.shuffled((True, False)):
            if not heard:
                await submitting.award_points(self.runtime, self.league, self.tournament)
            elif self.court.dice.odd(0.5):
                await claims.over(self)
                await submitting.award_points(self.runtime, self.league, self.tournament)
        streams = [stream_of(each) for each in await self.tables()]
        await asyncio.sleep(1)
        await closing_heads.record_these(self.runtime, self.league, self.tournament, streams)
        if self.dice.odd(0.4):
            await self.ask(PublishSeeds(by=self.director, now=self.now))
        return isinstance(await self.state(), Finished)
