"""
Names beside ids, wherever members read.

Names are kept outside the log, because people may erase them. They are therefore looked up for each
answer, and never kept in states, read models or anything else that lasts longer than seconds.
"""

import asyncio
from collections.abc import Iterable
from datetime import timedelta

from engine.tournament.model.state import State as Tournament
from engine.tournament.model.state import Unannounced
from service.api.http.access.phases import entries_of
from service.api.http.shell import Shell

BELIEVED_FOR = timedelta(seconds=5)
"""The longest time for which the name of an erased player may still be shown."""

_KEPT_MAX = 10_000


async def names_of(shell: Shell, players: Iterable[str]) -> dict[str, str]:
    """Return the names of *players* by player. An erased player is called ``erased player``."""
    wanted, now = set(players), shell.now()
    found = {
        each: known[0]
        for each in wanted
        if (known := shell.called.get(each)) is not None and now < known[1]
    }
    missing = sorted(wanted - found.keys())
    if missing:
        asked = await asyncio.gather(*(shell.names.of(each) for each in missing))
        looked_up = {each: name for each, name in zip(missing, asked, strict=True) if name}
        if len(shell.called) >= _KEPT_MAX:
            shell.called.clear()
        shell.called.update({each: (name, now + BELIEVED_FOR) for each, name in looked_up.items()})
        found |= looked_up
    return {each: found[each] for each in sorted(found)}


async def names_at(shell: Shell, tournament: Tournament, entrants: Iterable[str]) -> dict[str, str]:
    """Return the names of a tournament's *entrants* by entrant."""
    if isinstance(tournament, Unannounced):
        return {}
    entries = entries_of(tournament)
    players: dict[str, str] = shell.index(
        f"players of {tournament.terms.tournament}",
        entries,
        lambda: {each.entrant: each.player for each in entries},
    )
    seated = {each: players[each] for each in sorted(entrants) if each in players}
    called = await names_of(shell, seated.values())
    return {each: called[player] for each, player in seated.items() if player in called}
