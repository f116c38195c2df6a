"""One tournament of a generated season, and the commands that can be sent to it."""

import asyncio
from collections.abc import Sequence
from datetime import datetime
from typing import Any

import msgspec

from engine.decider import AnyDecider
from engine.errors import CommandRejected
from engine.table.model.commands import Command as TableCommand
from engine.tournament.model.commands import Command as TournamentCommand
from engine.tournament.model.commands import Register
from engine.values import EntrantId, PlayerId, TextRef, identifier, stream_of
from service.director import (
    admission,
    season_ends,
    submitting,
)
from service.director.runtime import Runtime
from service.log.writer import Order, Receipt, States, StreamEvents
from service.sandbox.generating.chance import Dice
from service.sandbox.generating.disputes import Court
from service.sandbox.generating.world import store_of


class Evening:
    """
    One tournament of a league, with methods that submit commands of people and the house.

    Args:
        director: The member of staff who gives all staff orders.
    """

    def __init__(
        self, runtime: Runtime, dice: Dice, league: str, name: str, director: PlayerId
    ) -> None:
        self.runtime = runtime
        self.dice = dice
        self.league = league
        self.tournament = name
        self.director = director
        self.court = Court(runtime, league, name, director, dice.chaos)
        self.actions = 0
        """The number of answers that players have given."""

    # -- asking

    def order(self, actor: str) -> Order:
        """Return a new order of *actor*, with an identifier from the seeded entropy."""
        return Order(
            command_id=self.runtime.entropy.uuid(),
            actor=actor,
            received_at=self.runtime.clock.now(),
            request=b"{}",
        )

    @property
    def now(self) -> datetime:
        """Return the present instant."""
        return self.runtime.clock.now()

    def reason(self) -> TextRef:
        """Return a reference to an invented text."""
        return store_of(self.runtime).invent_text(self.runtime.entropy)

    async def state(self, subject: str | None = None) -> Any:  # the subject gives its type
        """Return the state of the tournament, or of a table."""
        stream = stream_of(subject or self.tournament)
        return (await self.runtime.writer.load(self.league, stream, fresh=False)).state

    async def ask(self, command: TournamentCommand, order: Order | None = None) -> bool:
        """Submit *command* to the tournament. Return False if it is refused."""
        order = order or self.order(self.director)
        try:
            await submitting.submit_to_tournament(
                self.runtime, self.league, self.tournament, command, order
            )
        except CommandRejected:
            return False
        return True

    async def at_table(self, table: str, command: TableCommand) -> bool:
        """Submit *command* to a table. Return False if it is refused."""
        try:
            await submitting.submit_to_table(
                self.runtime, self.league, table, command, self.order("player")
            )
        except CommandRejected:
            return False
        return True

    async def decide(self, subject: str, decider: AnyDecider, command: msgspec.Struct) -> Receipt:
        """Submit *command* of the staff to the stream of *subject*."""
        return await decided(
            self.runtime, self.league, subject, decider, command, self.order("staff")
        )

    async def register(self, player: PlayerId) -> bool:
        """Enter *player*, late if play has begun. Return False if that is refused."""
        order = self.order(player)
        entrant = EntrantId(identifier("ent", self.runtime.entropy.uuid()))
        ids = admission.table_ids(order)
        asked = Register(entrant=entrant, player=player, bot=True, table_ids=ids, now=self.now)
        return await self.ask(asked, order)

    async def pass_time(self, seconds: float) -> None:
        """Wait for *seconds* of virtual time."""
        await asyncio.sleep(seconds)

    async def until(self, instant: datetime) -> None:
        """Wait until *instant* of virtual time."""
        left = (instant - self.now).total_seconds()
        if left > 0:
            await asyncio.sleep(left)


async def decided(
    runtime: Runtime,
    league: str,
    subject: str,
    decider: AnyDecider,
    asked: msgspec.Struct,
    order: Order,
) -> Receipt:
    """
    Decide *asked* on the stream of *subject*, and report announced tournaments to their seasons.
    """
    stream = stream_of(subject)

    async def decide(states: States) -> Sequence[StreamEvents]:
        events = decider.decide((await states.load(stream)).state, asked)
        return [
            StreamEvents(stream, events),
            *await season_ends.told(states, events, order.received_at),
        ]

    return await runtime.writer.submit(league, order, decide)
