"""
Performing one unit of an audit, and adding up the parts of all units.

A part holds the results of its unit. The report follows from the parts alone, so it does
not matter in which order they were made, or by which process.
"""

import re
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from datetime import timedelta

import msgspec
import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from engine.values import number_of, stream_of
from service.audit.bytes.chunks import READ, read_places
from service.audit.bytes.tree import Leaves, TreeAudit, nodes_of
from service.audit.play.dealt import judged
from service.audit.play.deciding import DEFECTS
from service.audit.report import Figures, Findings, Found, Report, close
from service.audit.run.overdue import check_jobs
from service.audit.run.plan import Plan, Unit
from service.audit.run.streams import StreamAudit
from service.audit.said import said
from service.base.database import sqlstate_of
from service.base.drivers import Driver
from service.log.keys import LeagueKeys, driver_of
from service.log.read import positions_of, read_at, read_league
from service.log.record import Recorded
from service.projections.applying.projection import Projection, ProjectionBroken
from service.projections.models.all import chosen
from service.projections.rebuilding.comparing import Stand, compare_league, stand

Told = Callable[[int], Awaitable[None]]
"""Called from time to time with the weight done, of one unit or of all of them."""

# Rows without a valid position exist only if somebody has dropped the table's constraints.
_OUTSIDE = """
    SELECT (SELECT count(*) FROM events WHERE league = $1 AND position < 0)
         + (SELECT count(*) FROM events WHERE league = $1 AND position IS NULL)
"""
REBUILT_WITHIN = timedelta(days=1)
"""The longest time for which a read model may wait for the rebuild that ends an upgrade."""

_TOURNAMENT = re.compile(rb"trn_[0-9a-f]{32}")


class Part(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The results of one unit."""

    found: Found
    figures: Figures = Figures()
    leaves: Leaves | None = None
    offset: int = 0
    not_compared: str = ""
    """A read model that waits for a rebuild."""


async def perform(
    connection: AsyncConnection, keys: LeagueKeys, plan: Plan, unit: Unit, told: Told
) -> Part:
    """
    Perform one unit of *plan*.

    Args:
        connection: A connection of its own. This function begins and ends its transactions.
    """
    driver = await driver_of(connection)
    findings = Findings()
    figures, leaves, not_compared = Figures(), None, ""
    match unit.kind:
        case "places":
            leaves = await read_places(driver, number_of(plan.league), plan, unit, findings)
        case "projection":
            if not await _compare(connection, plan, unit.name, findings):
                not_compared = unit.name
        case "jobs":
            await check_jobs(driver, plan.league, plan.now, findings)
        case _:
            figures = await _read_streams(driver, keys, plan, unit, told, findings)
    await told(unit.weight)
    return Part(
        found=findings.kept(),
        figures=figures,
        leaves=leaves,
        offset=unit.offset,
        not_compared=not_compared,
    )


async def _read_streams(
    driver: Driver, keys: LeagueKeys, plan: Plan, unit: Unit, told: Told, findings: Findings
) -> Figures:
    streams = [*unit.streams]
    if unit.kind == "season":
        streams = [*{*streams, *unit.about, *await _tournaments_of(driver, plan, streams[0])}]
    only = None if plan.tournament is None else stream_of(plan.tournament)
    audit = StreamAudit(keys, findings, unit.streams, only, plan.voided)
    done = 0
    async for rows in events_of(driver, plan, streams):
        for recorded in rows:
            audit.read(recorded)
        done += len(rows)
        await told(min(unit.weight, done))
    audit.end(plan.now, plan.there)
    return audit.figures()


async def events_of(
    driver: Driver, plan: Plan, streams: Sequence[str]
) -> AsyncIterator[list[Recorded]]:
    """Yield the events of *streams* that *plan* covers, by position, in small lists."""
    positions = await positions_of(driver, plan.league, streams, plan.until)
    for at in range(0, len(positions), READ):
        yield await read_at(driver, plan.league, positions[at : at + READ])


async def _tournaments_of(driver: Driver, plan: Plan, season: str) -> list[str]:
    """Return the streams of all tournaments that a season's events mention."""
    named: set[bytes] = set()
    async for rows in events_of(driver, plan, (season,)):
        for row in rows:
            named |= set(_TOURNAMENT.findall(row.data))
    return sorted(stream_of(each.decode()) for each in named)


async def _compare(connection: AsyncConnection, plan: Plan, name: str, findings: Findings) -> bool:
    """Compare a read model, unless it waits for a rebuild. Return whether it was compared."""
    [model], league = chosen(name), plan.league
    stands = await _stand(connection, league, model)
    if stands.misplaced:
        # Up to there the comparison would read for ever, or pass over what the rows lack.
        what = said(
            "its checkpoint is at position %(position)s, where no projector has put it",
            position=stands.position,
        )
        findings.hold("projections", False, -1, name, what)
        return False
    if stands.version != model.version:
        await _check_wait(await driver_of(connection), plan, name, stands, findings)
        return False
    differences = []
    try:
        differences = await compare_league(connection, league, [model])
    except ProjectionBroken as error:
        what = said("an event cannot be projected: %(reason)s", reason=error.reason)
        findings.hold("projections", False, error.position, name, what)
        return True
    except (*DEFECTS, sa.exc.DBAPIError) as error:
        if isinstance(error, sa.exc.DBAPIError) and not _refused(error):
            raise  # the database is away
        what = said("cannot be built from this log: %(error)s", error=type(error).__name__)
        findings.hold("projections", False, -1, name, what)
        return True
    if differences and (await _stand(connection, league, model)).version != model.version:
        return False  # another program has rebuilt it meanwhile
    findings.held(("projections",))
    for found in differences:
        what = said(
            "relation %(relation)s: %(extra)s rows that the log does not give, %(missing)s missing",
            relation=found.relation,
            extra=found.only_live,
            missing=found.only_rebuilt,
        )
        findings.hold("projections", False, -1, found.name, what)
    return True


async def _stand(connection: AsyncConnection, league: str, model: Projection) -> Stand:
    found = await stand(connection, league, model)
    await connection.rollback()
    return found


async def _check_wait(
    driver: Driver, plan: Plan, name: str, waits: Stand, findings: Findings
) -> None:
    """
    Check that rows of another version may honestly wait for a rebuild.

    Otherwise somebody could forge rows, and change their version to keep them from being compared.
    """
    if waits.version < 1:
        what = said("no program makes rows of version %(version)s", version=waits.version)
        findings.hold("projections", False, -1, name, what)
    # The plan's time stands still in a league that takes no commands. A rebuild needs none.
    now = await driver.fetchval("SELECT service_time()")
    for missed in await read_league(driver, plan.league, waits.position, 1):
        if now - missed.at > REBUILT_WITHIN:
            what = said(
                "it waits for a rebuild, and follows no event since %(since)s",
                since=f"{missed.at:%Y-%m-%d %H:%M}",
            )
            findings.hold("projections", False, -1, name, what)


def _refused(error: sa.exc.DBAPIError) -> bool:
    """Return whether the database refuses a value or a row (SQLSTATE classes 22 and 23)."""
    return sqlstate_of(error).startswith(("22", "23"))


def _count(findings: Findings, until: int, events: int, understood: int, outside: int) -> None:
    """Compare the number of events with their positions and with the streams they stand in."""
    whole = events == until + 1 == understood
    what = said(
        "%(events)s events up to position %(until)s, %(understood)s of them in known streams",
        events=events,
        until=until,
        understood=understood,
    )
    findings.hold("positions", whole, until, "", what, count=0)
    what = said("%(outside)s events stand outside the log", outside=outside)
    findings.hold("positions", outside == 0, -1, "", what, count=0)


async def finish(
    connection: AsyncConnection, plan: Plan, parts: Sequence[Part], seconds: float
) -> Report:
    """Return the report for *parts*, which must hold one part for each unit."""
    driver = await driver_of(connection)
    findings = Findings()
    chunks = sorted((each for each in parts if each.leaves is not None), key=lambda it: it.offset)
    nodes = await nodes_of(driver, number_of(plan.league), plan.grown)
    tree = TreeAudit(findings, plan.vouched, nodes)
    events = 0
    for chunk in chunks:
        if chunk.leaves is not None:
            tree.take(chunk.leaves)
            events += chunk.leaves.count
    tree.end()
    understood = sum(part.figures.events for part in parts)
    outside = await driver.fetchval(_OUTSIDE, number_of(plan.league))
    _count(findings, plan.until, events, understood, outside)
    sandbox = any(part.figures.sandbox for part in parts)
    decks = judged((part.figures.dealt for part in parts), None if sandbox else findings)
    if plan.generator is not None:
        lowest, name = plan.generator.lowest
        what = said(
            "fresh draws in the night of %(night)s: %(name)s, p = %(lowest)s",
            night=plan.generator.night,
            name=name,
            lowest=f"{lowest:g}",
        )
        findings.hold("randomness", not plan.generator.alarm, -1, "", what)
    report = Report(
        league=plan.league,
        tournament=plan.tournament,
        sandbox=sandbox,
        events=events,
        streams=sum(part.figures.streams for part in parts),
        hands=sum(part.figures.hands for part in parts),
        openings=sum(part.figures.openings for part in parts),
        omissions=sum(part.figures.omissions for part in parts),
        lapsed_rounds=sum(part.figures.lapsed_rounds for part in parts),
        voided_deals=sum(part.figures.voided_deals for part in parts),
        voided_positions=plan.voided,
        not_compared=tuple(sorted(part.not_compared for part in parts if part.not_compared)),
        decks=decks,
        generator=plan.generator,
        last_position=plan.until,
        seconds=round(seconds, 3),
    )
    return close(report, [findings.kept(), *(part.found for part in parts)])
