"""
Merging two players of a league, in the league's log and in the logs of its open seasons.

Everything is read from the log, because a read model may lag behind. The append guards every
tournament and season that the decision depends on.

Source: rulebook ``standings.merged``.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import asyncpg
from msgspec.structs import replace

from engine import league, season
from engine.kit.merges import all_of
from engine.league.merging import MergePlayers, PlayersMerged
from engine.league.state import Created
from engine.league.state import State as League
from engine.season.commands import MergeResults
from engine.season.state import Opened
from engine.season.state import State as Season
from engine.tournament.entering.staff import counts_as_entered
from engine.tournament.model.state import Cancelled, Finished
from engine.tournament.model.state import State as Tournament
from engine.values import PlayerId, Stream, TournamentId, number_of
from service.director.in_play import open_tournaments
from service.director.runtime import Runtime
from service.log.streams import league_stream
from service.log.writer import Order, Receipt, States, StreamEvents

_ENTERED = """
    SELECT DISTINCT stream, data->>'player' AS player FROM events
     WHERE league = $1 AND type = 'entrant_registered' AND data->>'player' = ANY($2::text[])
     ORDER BY stream
"""
_STATED = """
    SELECT EXISTS (
        SELECT FROM events
         WHERE league = $1 AND type = 'points_adjusted'
           AND data->'adjustment'->>'player' = ANY($2::text[])
        UNION ALL
        SELECT FROM events,
               jsonb_path_query(data::jsonb, '$.tournaments[*].results[*].player') stated
         WHERE league = $1 AND type = 'results_imported' AND stated #>> '{}' = ANY($2::text[]))
"""
_SEASONS = """
    SELECT first.stream FROM events first
     WHERE first.league = $1 AND first.stream_version = 1 AND first.stream LIKE 'season-%'
       AND NOT EXISTS (
        SELECT FROM events over
         WHERE over.league = $1 AND over.stream = first.stream AND over.type = 'season_closed')
     ORDER BY first.stream
"""


@dataclass(frozen=True, slots=True)
class _Found:
    """The streams that a merge depends on."""

    tournaments: Mapping[Stream[Tournament], frozenset[str]]
    """Tournaments that the two have entered or that are not over, with those who have entered."""

    stated: bool
    """True if a season was told points or results of the player who goes."""

    seasons: Sequence[Stream[Season]]


async def merge_players(
    runtime: Runtime, league_id: str, command: MergePlayers, order: Order
) -> Receipt:
    """
    Merge two players of a league.

    A tournament that was announced before the merge and is still to be entered is guarded, so
    neither of the two can enter it meanwhile. A closed season keeps its standings.

    Raises:
        CommandRejected: If the two may not be merged.
    """

    async def decide(states: States) -> Sequence[StreamEvents]:
        state = (await states.load(league_stream(league_id))).state
        # Read in its turn: a tournament may be announced or entered while the command waits.
        found = await _found(runtime.pool, league_id, *_people(state, command))
        return await _decided(states, league_id, command, found)

    return await runtime.writer.submit(league_id, order, decide)


def _people(state: League, command: MergePlayers) -> tuple[list[PlayerId], list[PlayerId]]:
    """Return the identifiers that stand for the player who goes, and for the one who stays."""
    merged = state.merged if isinstance(state, Created) else ()
    return list(all_of(merged, command.player)), list(all_of(merged, command.into))


async def _found(
    pool: asyncpg.Pool, league_id: str, going: list[PlayerId], staying: list[PlayerId]
) -> _Found:
    number = number_of(league_id)
    tournaments: dict[Stream[Tournament], frozenset[str]] = dict.fromkeys(
        await open_tournaments(pool, league_id), frozenset()
    )
    for row in await pool.fetch(_ENTERED, number, [*going, *staying]):
        stream: Stream[Tournament] = Stream(row["stream"])
        tournaments[stream] = tournaments.get(stream, frozenset()) | {row["player"]}
    seasons = await pool.fetch(_SEASONS, number)
    stated = await pool.fetchval(_STATED, number, going)
    return _Found(tournaments, stated, [Stream(row["stream"]) for row in seasons])


async def _decided(
    states: States, league_id: str, command: MergePlayers, found: _Found
) -> list[StreamEvents]:
    stream = league_stream(league_id)
    state = (await states.load(stream)).state
    merged = state.merged if isinstance(state, Created) else ()
    going, staying = all_of(merged, command.player), all_of(merged, command.into)
    entered: list[TournamentId] = []
    met: list[TournamentId] = []
    for each in found.tournaments:
        there = (await states.load(each)).state
        name = TournamentId(f"trn_{each.removeprefix('tournament-')}")
        over = isinstance(there, Finished | Cancelled)
        if not over and any(counts_as_entered(there, player) for player in going):
            entered.append(name)
        elif not isinstance(there, Cancelled) and _both(there, going, staying):
            met.append(name)
    seasons = [(await states.load(each)).state for each in found.seasons]
    # A season may have been told of the player by a command of the same batch.
    given = {each.adjustment.player for some in seasons if isinstance(some, Opened)
             for each in some.adjustments}  # fmt: skip
    asked = replace(
        command,
        known=found.stated
        or not given.isdisjoint(going)
        or any(set(going) & each for each in found.tournaments.values()),
        entered=tuple(entered),
        met=tuple(met),
    )
    events = league.decider.decide(state, asked)
    entries = [StreamEvents(stream, events), *(StreamEvents(each) for each in found.tournaments)]
    if any(isinstance(each, PlayersMerged) for each in events):
        entries += [await _told(states, each, command) for each in found.seasons]
    return entries


def _both(state: Tournament, going: Iterable[PlayerId], staying: Iterable[PlayerId]) -> bool:
    """Return whether a player of each side is entered in a tournament."""
    return any(counts_as_entered(state, player) for player in going) and any(
        counts_as_entered(state, player) for player in staying
    )


async def _told(states: States, stream: Stream[Season], command: MergePlayers) -> StreamEvents:
    """Return the entry that lets a season count the results of the two as one."""
    state = (await states.load(stream)).state
    if not isinstance(state, Opened) or state.closed:
        return StreamEvents(stream)
    merge = MergeResults(
        player=command.player,
        into=command.into,
        author=command.by,
        reason=command.reason,
        now=command.now,
    )
    return StreamEvents(stream, season.decider.decide(state, merge))
