"""
The verdict: the checks after everything is quiet again.

Each function returns a sentence for each fault.
"""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from uuid import UUID

import asyncpg

from engine.coordination.aggregates import DECIDERS
from engine.errors import InvariantViolated
from engine.table.model.state import Table
from engine.tournament.model.state import Running
from service.log.batch import event_id
from service.log.codec import Codec
from service.log.keys import Keys, LeagueKeys
from service.log.read import leagues, read_league
from service.log.record import Recorded
from service.log.streams import table_stream
from tests.chaos.journal import Journal

Logs = Mapping[UUID, Sequence[Recorded]]
"""The events of each league, oldest first."""


async def logs_of(connection: asyncpg.Connection, keys: Keys) -> tuple[Logs, list[LeagueKeys]]:
    """Read the logs of all leagues, and their keys."""
    found: dict[UUID, list[Recorded]] = {}
    opened = []
    for league in await leagues(connection):
        rows = found[league] = []
        while more := await read_league(connection, league, len(rows) - 1, 1000):
            rows += more
        opened.append(await keys.of(connection, league))
    return found, opened


def unfaithful(journal: Journal, logs: Logs) -> list[str]:
    """Compare the answers to clients with the log."""
    held = _by_command(logs)
    found = list(journal.wrong)
    for command in journal.commands.values():
        rows = held.get(command.command_id, [])
        if command.told is None:
            if command.refused is not None and rows:
                found.append(f"{command.line()} was refused, and is in the log")
            continue
        if not rows:
            found.append(f"{command.line()} was acknowledged, and is not in the log")
        elif (rows[-1].league.hex, rows[-1].position) != (
            command.told.league,
            command.told.position,
        ):
            found.append(f"{command.line()} was acknowledged elsewhere than it is")
    return found


def unanswered(journal: Journal, logs: Logs) -> tuple[int, int]:
    """Return the numbers of unanswered commands that are in the log, and that are not."""
    held = _by_command(logs)
    open_ = [each for each in journal.commands.values() if not each.answered]
    there = sum(each.command_id in held for each in open_)
    return there, len(open_) - there


def repeated(logs: Logs) -> list[str]:
    """Check that positions have no gap, and that each command is in the log once and whole."""
    found = []
    for league, rows in logs.items():
        if [row.position for row in rows] != list(range(len(rows))):
            found.append(f"the log of {league} has gaps")
        ended: set[UUID] = set()
        current, index = None, 0
        for row in rows:
            command_id = row.about().command_id
            if command_id != current:
                if command_id in ended:
                    found.append(f"{command_id} is in the log of {league} twice")
                ended.add(command_id)
                current, index = command_id, 0
            if row.event_id != event_id(command_id, index):
                found.append(f"position {row.position} of {league} is not event {index}")
            index += 1
    return found


def unbalanced(logs: Logs, keys: Iterable[LeagueKeys]) -> list[str]:
    """Count the chips of every tournament in play, after each command."""
    codec, opened = Codec(DECIDERS), {each.league: each for each in keys}
    found = []
    for league, rows in logs.items():
        states: dict[str, object] = {}
        before: dict[str, int] = {}
        for number, row in enumerate(rows):
            decider = DECIDERS[row.stream.partition("-")[0]]
            state = states.get(row.stream, decider.initial)
            try:
                states[row.stream] = decider.evolve(state, codec.decode(row, opened[league]))
            except InvariantViolated as error:
                found.append(f"position {row.position} of {league}: {error}")
                break
            last = number + 1 == len(rows)
            if last or rows[number + 1].about().command_id != row.about().command_id:
                for stream, chips in _chips(states).items():
                    if before.setdefault(stream, chips) != chips:
                        found.append(f"{stream} had {before[stream]} chips, and has {chips}")
                        before[stream] = chips
    return found


def spilt(files: Iterable[Path], secrets: Mapping[str, str]) -> list[str]:
    """Look for secrets in logs. The result names a secret and does not repeat it."""
    found = []
    for file in files:
        text = file.read_text(encoding="utf-8", errors="replace")
        found += [f"{file.name} holds {name}" for name, its in secrets.items() if its in text]
    return found


def tracebacks(files: Iterable[Path]) -> dict[str, int]:
    """Count the tracebacks in each log."""
    texts = {each.name: each.read_text(encoding="utf-8", errors="replace") for each in files}
    return {
        name: text.count("Traceback (") for name, text in texts.items() if "Traceback (" in text
    }


def _by_command(logs: Logs) -> dict[UUID, list[Recorded]]:
    found: dict[UUID, list[Recorded]] = {}
    for rows in logs.values():
        for row in rows:
            found.setdefault(row.about().command_id, []).append(row)
    return found


def _chips(states: Mapping[str, object]) -> dict[str, int]:
    found = {}
    for stream, state in states.items():
        if isinstance(state, Running):
            streams = [table_stream(each.table) for each in state.tables]
            tables = [each for each in map(states.get, streams) if isinstance(each, Table)]
            if len(tables) == len(streams):  # otherwise one will still be opened
                found[stream] = sum(each.chips() for each in tables)
    return found
