"""A test of whether a player is entered in a tournament, under any identifier of theirs."""

from uuid import UUID

from engine.kit.merges import all_of
from engine.league.state import Created
from engine.tournament.entering.staff import counts_as_entered
from engine.tournament.model.state import State
from engine.values import PlayerId, number_of, stream_of
from service.api.http.shell import Shell


async def is_entered(shell: Shell, league: str, state: State, player: str) -> bool:
    """
    Return whether *player* counts as entered, or a player who was merged into *player* does.

    Staff must not rule on results that they earned under another identifier.
    """
    mine = await identifiers_of(shell, league, player)
    return any(counts_as_entered(state, each) for each in mine)


async def identifiers_of(shell: Shell, league: str, player: str) -> tuple[PlayerId, ...]:
    """Return *player* and all players whom the league has merged into *player*."""
    house = (await shell.runtime.writer.load(league, stream_of(league), fresh=False)).state
    merged = house.merged if isinstance(house, Created) else ()
    return all_of(merged, PlayerId(player))


async def numbers_of(shell: Shell, league: str, player: str) -> frozenset[UUID]:
    """Return the account numbers of *player* and of all whom the league has merged into them."""
    return frozenset(map(number_of, await identifiers_of(shell, league, player)))
