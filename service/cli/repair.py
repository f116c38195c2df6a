"""
``holotable repair``: an operator voids the damaged events of a league.

Nothing is rewritten.  A voided event stays in the log and stays its stream's head.  The next
event has its version plus one and chains to its stored hash.  Only this module finds the events
to void, so nobody can void a well-formed one.
"""

import struct
from collections.abc import AsyncIterator
from hashlib import sha256

import rich_click as click

from engine import league as leagues
from engine.coordination.aggregates import DECIDERS
from engine.league.repairing import Failing, VoidedPosition, VoidPositions
from engine.values import number_of
from service.base.database import async_engine
from service.base.drivers import Driver
from service.base.errors import EventUnreadable
from service.base.settings import Settings
from service.cli.common import DRY_RUN, awaited, err, out, settings
from service.director.runtime import Runtime, open_runtime
from service.log import canonical
from service.log.codec import Codec
from service.log.keys import LeagueKeys
from service.log.read import CHUNK, last_position, read_league, voided
from service.log.record import Recorded
from service.log.streams import league_stream
from service.log.writer import States, StreamEvents
from service.people import operator_log

_codec = Codec(DECIDERS)
SHOWN = 20


@click.command()
@click.argument("league")
@click.option("--operator", required=True, metavar="NAME", help="Person who answers for it.")
@click.option("--reason", required=True, help="Cause of the damage, as far as it is known.")
@DRY_RUN
def repair(league: str, operator: str, reason: str, dry_run: bool) -> None:
    """
    Void the damaged events of LEAGUE, so that folding passes over them. Nothing is rewritten.

    The version, hash and schema of every event are checked.  Well-formed events are never
    touched.  A dry run exits with 1 if there are any damaged ones.  Needs HOLOTABLE_DATABASE_URL
    with the login of holotable_api, and HOLOTABLE_SECRET_KEY.
    """
    awaited(void_failing(settings(), league, operator, reason, dry_run))


def failing(row: Recorded, before: tuple[int, bytes], keys: LeagueKeys) -> Failing | None:
    """
    Return the damage of an event's bytes, or None for a well-formed event.

    Args:
        before: Version and hash of the event before it in its stream.
    """
    version, head = before
    if row.stream_version != version + 1:
        return "version"
    try:
        entry = canonical.leaf(
            row.league,
            head,
            row.stream,
            row.stream_version,
            row.event_id,
            canonical.microseconds(row.at),
            row.type,
            row.schema_version,
            row.data,
            sha256(row.metadata).digest(),
            row.sealed,
        )
    except struct.error:
        return "hash"
    if sha256(entry).digest() != row.hash:
        return "hash"
    try:
        _codec.decode(row, keys)
    except EventUnreadable:
        return "schema"
    return None


async def found_failing(
    connection: Driver, league: str, keys: LeagueKeys
) -> AsyncIterator[VoidedPosition]:
    """Yield each damaged event of *league* that is not voided yet."""
    known = await voided(connection, league)
    until, after = await last_position(connection, league), -1
    heads: dict[str, tuple[int, bytes]] = {}
    while after < until:
        rows = await read_league(connection, league, after, CHUNK)
        for row in rows:
            fails = failing(row, heads.get(row.stream, (0, canonical.NO_HASH)), keys)
            heads[row.stream] = (row.stream_version, row.hash)
            if fails is not None and row.position not in known:
                yield VoidedPosition(
                    position=row.position,
                    stream=row.stream,
                    version=row.stream_version,
                    hash=row.hash.hex(),
                    fails=fails,
                )
        after += CHUNK


async def void_failing(
    settings: Settings, league: str, operator: str, reason: str, dry_run: bool
) -> int:
    """
    Void every damaged event of *league*, and record the operator.

    Returns:
        1 if a dry run found damaged events, 2 if the league or the operator is unknown.
    """
    if not operator.strip() or not reason.strip():
        err.print("the operator or the reason is empty\n  next: give both")
        return 2
    async with open_runtime(settings) as runtime:
        if not await _is_league(runtime, league):
            err.print(f"there is no league {league}\n  next: look it up with GET /v1/leagues")
            return 2
        keys = await runtime.writer.store.keys(number_of(league))
        found = [each async for each in found_failing(runtime.pool, league, keys)]
        for each in found[:SHOWN]:
            out.print(f"position {each.position} ({each.stream}, {each.version}): {each.fails}")
        out.print(f"{league} has {len(found)} damaged events")
        if not found:
            return 0
        if dry_run:
            out.print("dry run: nothing was written")
            return 1
        await _void(runtime, league, found)
    engine = async_engine(settings.database_url, connections=1)
    try:
        async with engine.begin() as connection:
            about = f"{', '.join(str(each.position) for each in found[:SHOWN])}: {reason}"
            await operator_log.add(
                connection, [number_of(league)], operator, "positions_voided", about
            )
    finally:
        await engine.dispose()
    out.print(
        "they are no longer folded\n  next: see `holotable quarantine list`, release what has "
        "stopped, then run `holotable projections rebuild`"
    )
    return 0


async def _is_league(runtime: Runtime, named: str) -> bool:
    try:
        return named.startswith("lge_") and await last_position(runtime.pool, named) >= 0
    except ValueError:
        return False


async def _void(runtime: Runtime, league: str, found: list[VoidedPosition]) -> None:
    stream = league_stream(league)

    async def decide(states: States) -> list[StreamEvents]:
        state = (await states.load(stream)).state
        command = VoidPositions(positions=tuple(found), now=runtime.clock.now())
        return [StreamEvents(stream, leagues.decider.decide(state, command))]

    named = "/".join(str(each.position) for each in found)
    await runtime.writer.submit(league, runtime.order(f"repair/{league}/{named}"), decide)
