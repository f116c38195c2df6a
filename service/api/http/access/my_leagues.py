"""The caller's leagues as of the end of the log, even if the read models are behind."""

import logging

from engine.league.state import Created
from engine.values import stream_of
from service.api.http.shell import Shell
from service.base.errors import EventUnreadable
from service.people.memberships import roles_of
from service.projections.reads import queries
from service.projections.reads.rows import Membership

_log = logging.getLogger(__name__)


async def leagues_now(shell: Shell, player: str) -> list[Membership]:
    """
    Return the leagues of *player* by name. The log is read for those that are too new.

    Such a league is left out if it cannot be read. Its own routes give the reason.
    """
    async with shell.engine.connect() as connection:
        roles = await roles_of(connection, player)
        known = {each.league: each for each in await queries.leagues_of(connection, player)}
    found = []
    for league, role in roles.items():
        row = known.get(league)
        if row is None:
            try:
                loaded = await shell.runtime.writer.load(league, stream_of(league), fresh=False)
            except EventUnreadable as error:
                _log.warning("a list of leagues leaves %s out: %s", league, error.detail)
                continue
            state = loaded.state
            if not isinstance(state, Created):
                continue
            row = Membership(league=league, name=state.name, role=role, sandbox=state.sandbox)
        found.append(Membership(league=league, name=row.name, role=role, sandbox=row.sandbox))
    return sorted(found, key=lambda each: (each.name, each.league))
