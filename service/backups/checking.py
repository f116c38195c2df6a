"""Checking a copied log: hash chains, the manifest's trees, signed heads, and the leagues' keys."""

from collections.abc import Mapping
from uuid import UUID

from engine.values import identifier, number_of
from service.audit.bytes.chain import Links
from service.audit.bytes.tree import TreeAudit, Vouched, grown, leaves_of, nodes_of, vouched
from service.audit.report import Findings
from service.backups.manifest import League, LogFault
from service.base.drivers import Driver
from service.base.languages import N_
from service.log.keys import Keys
from service.log.read import last_position, leagues, read_league, voided
from service.transparency.ledger import TILE

_CHUNK = 4 * TILE
"""The number of events in one read."""

_KEYS = "SELECT league, key_id, wrapped FROM key"
_NAMED = ("chains", "tree")


async def faults(connection: Driver, expected: Mapping[str, League]) -> dict[str, list[LogFault]]:
    """
    Return the faults of each league's log, against the ends that the manifest names.

    A league without a fault is left out.

    Every event's bytes are hashed again. Whether each action was right is the audit's question.
    """
    found = {}
    here = {identifier("lge", league) for league in await leagues(connection)}
    for league in sorted(here - expected.keys()):
        what = "the manifest does not name this league"
        found[league] = [LogFault(check="named", said=what)]
    for league, end in expected.items():
        if faulty := await faults_of(connection, league, end):
            found[league] = faulty
    return found


async def faults_of(connection: Driver, league: str, end: League) -> list[LogFault]:
    """Return each fault of one league's log, against the end that is expected."""
    number = number_of(league)
    events = await last_position(connection, number) + 1
    if events != end.events:
        what = f"the log has {events} events, the manifest says {end.events}"
        return [LogFault(check="events", number=events, said=what)]
    said = Vouched(size=end.events, root=bytes.fromhex(end.root), by=N_("the manifest"))
    about = [said, *await vouched(connection, number, None)]
    nodes = await nodes_of(connection, number, await grown(connection, number))
    findings = Findings()
    await _follow(connection, number, about, TreeAudit(findings, about, nodes), Links(findings))
    found = []
    for check in (findings.checks[name] for name in _NAMED):
        found += [
            LogFault(
                check=check.name,
                position=fault.position,
                said=f"position {fault.position}: {fault.what}",
            )
            for fault in check.faults
        ]
        if more := check.failed - len(check.faults):
            what = f"{check.title}: {more} more faults"
            found.append(LogFault(check=check.name, number=more, said=what))
    return found


async def key_faults(connection: Driver, keys: Keys) -> dict[str, LogFault] | None:
    """Return the leagues with events whose key none of *keys* opens. None if they open no key."""
    here = {identifier("lge", league) for league in await leagues(connection)}
    rows = await connection.fetch(_KEYS)
    closed = {identifier("lge", row["league"]) for row in rows if not keys.opens(*row)}
    if rows and len(closed) == len(rows):
        return None
    what = (
        "HOLOTABLE_SECRET_KEY does not open this league's key; while the key is being changed, set "
        "HOLOTABLE_SECOND_SECRET_KEY too, and take another backup"
    )
    return {league: LogFault(check="key", said=what) for league in sorted(closed & here)}


async def _follow(
    connection: Driver, league: UUID, about: list[Vouched], tree: TreeAudit, links: Links
) -> None:
    """Read a league's log once, event by event."""
    passed, sizes = await voided(connection, league), [each.size for each in about if each.compared]
    done = 0
    while rows := await read_league(connection, league, done - 1, _CHUNK):
        for row in rows:
            if row.position in passed:
                links.skip(row)
            else:
                links.follow(row)
        tree.take(leaves_of([row.hash for row in rows], done, sizes))
        done += len(rows)
    tree.end()
