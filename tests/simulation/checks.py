"""
The promises that every simulated run must keep, whatever goes wrong.

The referee folds every event of the log as it is committed. It compares the service's answers with
the log. Any breach raises :class:`Broken` with a sentence.
"""

from dataclasses import dataclass
from random import Random
from typing import Any
from uuid import UUID

from engine.coordination.aggregates import DECIDERS
from engine.table.model.state import Table
from engine.tournament.model.state import Cancelled, Finished, Running
from engine.values import EntrantId, identifier
from service.log.batch import event_id
from service.log.canonical import NO_HASH
from service.log.codec import Codec
from service.log.read import verify
from service.log.record import Recorded
from service.log.streams import table_stream
from service.log.writer import Receipt
from service.sandbox.generating.chance import Dice
from tests.properties import invariants
from tests.simulation.database import Server
from tests.simulation.reads import behind, broken, rebuilt

VIEWS = 12
"""One view in this many is compared with the view of a table with other hidden values."""


class Broken(AssertionError):
    """A promise was broken."""


@dataclass(frozen=True, slots=True)
class Acknowledged:
    """A client's knowledge of a command that was accepted."""

    command_id: UUID
    first: int
    last: int


class Referee:
    """
    The referee, who checks all promises.

    Args:
        server: The database.
        dice: Draws which views are looked at.
    """

    def __init__(self, server: Server, dice: Dice) -> None:
        self._server = server
        self._dice = dice
        self._chance = Random(dice.below(2**32))
        self._codec = Codec(DECIDERS)
        self._states: dict[str, Any] = {}
        self._commands: dict[UUID, int] = {}
        self._chips: dict[str, int] = {}
        self._told: list[Acknowledged] = []
        self.events = 0
        self.views = 0
        self.broken: Broken | None = None
        """The first breach that was found during a commit."""

        server.watch = self._watch

    @property
    def acknowledged(self) -> int:
        """The number of commands that clients were told are accepted."""
        return len(self._told)

    def holds(self, command_id: UUID) -> bool:
        """Return whether the log holds a command."""
        return command_id in self._commands

    def told(self, receipt: Receipt) -> None:
        """Note a receipt that a client got, and compare it with the log."""
        if receipt.first_position is None or receipt.last_position is None:
            return
        told = Acknowledged(receipt.command_id, receipt.first_position, receipt.last_position)
        self._told.append(told)

    def refused(self, command_id: UUID, code: str, *, held: bool) -> None:
        """
        Check a refusal.

        *held* is True if the log already had the command when it was sent.
        """
        if held:
            raise Broken(f"{command_id} is in the log, and was refused as {code}")

    def shown(self, table: Table, entrant: EntrantId) -> None:
        """Check a view that a client got: with other hidden values it would be the same."""
        self.views += 1
        if self._dice.below(VIEWS) == 0 and table.hand is not None:
            try:
                invariants.hides_secrets(table, self._chance)
            except AssertionError as error:
                raise Broken(f"a view of {entrant} shows a hidden value") from error

    # Checks at each commit

    def _watch(self, league: UUID, rows: list[Recorded]) -> None:
        try:
            self._see(league, rows)
        except Broken as error:
            # The writer answers any error of its store, but this error is meant for the run.
            self.broken = self.broken or error

    def _see(self, league: UUID, rows: list[Recorded]) -> None:
        keys = self._server.made(league)
        appended: dict[UUID, list[Recorded]] = {}
        for row in rows:
            self.events += 1
            about = row.about()
            appended.setdefault(about.command_id, []).append(row)
            category = row.stream.partition("-")[0]
            before = self._states.get(row.stream, DECIDERS[category].initial)
            after = DECIDERS[category].evolve(before, self._codec.decode(row, keys))
            self._states[row.stream] = after
        for command_id, own in appended.items():
            if command_id in self._commands:
                raise Broken(f"{command_id} is in the log twice")
            self._commands[command_id] = own[0].position
        self._count()

    def _count(self) -> None:
        """Count the chips of every tournament in play."""
        for stream, state in self._states.items():
            if not isinstance(state, Running):
                continue
            tables = [self._states.get(table_stream(each.table)) for each in state.tables]
            chips = sum(each.chips() for each in tables if isinstance(each, Table))
            if self._chips.setdefault(stream, chips) != chips:
                raise Broken(f"{stream} had {self._chips[stream]} chips, and has {chips}")

    # Checks when all is quiet

    def over(self, stream: str) -> bool:
        """Return whether a tournament has ended and all its tables are closed."""
        return isinstance(self._states.get(stream), Finished | Cancelled)

    def caught_up(self, league: UUID) -> bool:
        """Return whether the read models have all events."""
        return behind(self._server.reads, identifier("lge", league)) == 0

    def projecting(self) -> None:
        """Check that no projection has stopped at an event."""
        stopped = broken(self._server.reads)
        if stopped:
            raise Broken(f"projections have stopped: {stopped}")

    async def at_rest(self, league: UUID) -> None:
        """
        Compare everything while nothing happens.

        Raises:
            Broken: If a promise is broken.
        """
        self._acknowledged(league)
        self._chains(league)
        dead = [job.occurrence for job in self._server.relations.jobs.values() if _dead(job)]
        if dead:
            raise Broken(f"jobs are dead: {dead}")
        self.projecting()
        name = identifier("lge", league)
        live = self._server.reads.dump(name)
        again = await rebuilt(self._server, self._server.now, name)
        try:
            for relation, rows in again.dump(name).items():
                if rows != live[relation]:
                    missing = sorted(set(rows) - set(live[relation]))[:1]
                    raise Broken(f"{relation} differs from a rebuild, which has {missing}")
        finally:
            again.close()

    def _acknowledged(self, league: UUID) -> None:
        """Check that each acknowledged command is in the log once, where its client was told."""
        rows = self._server.rows(league)
        for told in self._told:
            if told.last >= len(rows):
                raise Broken(f"{told.command_id} was acknowledged, and is not in the log")
            own = [row.about().command_id for row in rows[told.first : told.last + 1]]
            if set(own) != {told.command_id}:
                raise Broken(f"{told.command_id} was acknowledged, and is not in the log")
        self._told.clear()

    def _chains(self, league: UUID) -> None:
        """Check the versions and hashes of every stream."""
        streams: dict[str, list[Recorded]] = {}
        for position, row in enumerate(self._server.rows(league)):
            if row.position != position:
                raise Broken(f"position {position} is missing")
            streams.setdefault(row.stream, []).append(row)
        for rows in streams.values():
            verify(rows, NO_HASH, 0)
        for rows in self._appends(league):
            command_id = rows[0].about().command_id
            wanted = [event_id(command_id, index) for index in range(len(rows))]
            if [row.event_id for row in rows] != wanted:
                raise Broken(f"the events of {command_id} do not have its identifiers")

    def _appends(self, league: UUID) -> list[list[Recorded]]:
        """Return the log, divided by command."""
        found: dict[UUID, list[Recorded]] = {}
        for row in self._server.rows(league):
            found.setdefault(row.about().command_id, []).append(row)
        return list(found.values())


def _dead(job: Any) -> bool:
    return bool(job.state == "dead")
