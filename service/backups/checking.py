"""Checking the bytes of a restored log: hash chains, the manifest's trees, and signed heads."""

from collections.abc import Mapping
from uuid import UUID

from engine.values import identifier, number_of
from service.audit.bytes.chain import Links
from service.audit.bytes.tree import TreeAudit, Vouched, grown, leaves_of, nodes_of, vouched
from service.audit.report import Findings
from service.backups.manifest import League
from service.base.drivers import Driver
from service.base.languages import N_
from service.log.read import last_position, leagues, read_league, voided
from service.transparency.ledger import TILE

_CHUNK = 4 * TILE
"""The number of events in one read."""

_NAMED = ("chains", "tree")


async def faults(connection: Driver, expected: Mapping[str, League]) -> dict[str, list[str]]:
    """
    Return sentences for the faults of each league, against the ends that the manifest names.

    A league without a fault is left out.

    Every event's bytes are hashed again. Whether each action was right is the audit's question.
    """
    found = {}
    here = {identifier("lge", league) for league in await leagues(connection)}
    for league in sorted(here - expected.keys()):
        found[league] = ["the manifest does not name this league"]
    for league, end in expected.items():
        if faulty := await faults_of(connection, league, end):
            found[league] = faulty
    return found


async def faults_of(connection: Driver, league: str, end: League) -> list[str]:
    """Return a sentence for each fault of one league's log, against the end that is expected."""
    number = number_of(league)
    events = await last_position(connection, number) + 1
    if events != end.events:
        return [f"the log has {events} events, the manifest says {end.events}"]
    said = Vouched(size=end.events, root=bytes.fromhex(end.root), by=N_("the manifest"))
    about = [said, *await vouched(connection, number, None)]
    nodes = await nodes_of(connection, number, await grown(connection, number))
    findings = Findings()
    await _follow(connection, number, about, TreeAudit(findings, about, nodes), Links(findings))
    found = []
    for check in (findings.checks[name] for name in _NAMED):
        found += [f"position {fault.position}: {fault.what}" for fault in check.faults]
        if more := check.failed - len(check.faults):
            found.append(f"{check.title}: {more} more faults")
    return found


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
