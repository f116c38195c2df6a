"""The caller's leagues as of the end of the log, even if the read models are behind."""

from engine.league.state import Created
from engine.values import stream_of
from service.api.http.shell import Shell
from service.people.memberships import roles_of
from service.projections.reads import queries
from service.projections.reads.rows import Membership


async def leagues_now(shell: Shell, player: str) -> list[Membership]:
    """Return the leagues of *player* by name. The log is read for those that are too new."""
    async with shell.engine.connect() as connection:
        roles = await roles_of(connection, player)
        known = {each.league: each for each in await queries.leagues_of(connection, player)}
    found = []
    for league, role in roles.items():
        row = known.get(league)
        if row is None:
            state = (await shell.runtime.writer.load(league, stream_of(league), fresh=False)).state
            if not isinstance(state, Created):
                continue
            row = Membership(league=league, name=state.name, role=role, sandbox=state.sandbox)
        found.append(Membership(league=league, name=row.name, role=role, sandbox=row.sandbox))
    return sorted(found, key=lambda each: (each.name, each.league))
