"""Decisions about players who are one person. Source: rulebook ``standings.merged``."""

from engine.errors import Wording
from engine.kit.house_bots import is_house_bot
from engine.league import merging
from engine.league.errors import (
    MemberUnknown,
    MergedAlready,
    MergedPlayer,
    MergeInvalid,
    MergeOfBanned,
    MergeOfEntered,
    MergeOfOffice,
    PlayersMet,
)
from engine.league.events import MemberRemoved
from engine.league.state import Created
from engine.values import PlayerId


def demand_unmerged(state: Created, player: PlayerId) -> None:
    """
    Check that *player* may become a member, and was not merged into another player.

    Raises:
        MergedPlayer: With the player who stands for *player*.
    """
    into = state.one(player)
    if into != player:
        raise MergedPlayer(into=into)


def merge(
    state: Created, command: merging.MergePlayers
) -> tuple[merging.PlayersMerged | MemberRemoved, ...]:
    """
    Return the merge, and the end of the merged player's membership.

    Raises:
        CommandRejected: If the two cannot be one person, or one of them is not free to be merged.
    """
    player, into = command.player, command.into
    if state.one(player) != player:
        if state.one(player) == state.one(into):
            return ()
        raise MergedAlready(into=state.one(player))
    demand_unmerged(state, into)
    _demand_two(state, command)
    if command.entered:
        raise MergeOfEntered(tournaments=command.entered)
    if command.met:
        raise PlayersMet(tournaments=command.met)
    made = merging.PlayersMerged(player=player, into=into, by=command.by, reason=command.reason)
    member = state.role_of(player) is not None
    return (made, MemberRemoved(player=player)) if member else (made,)


def _demand_two(state: Created, command: merging.MergePlayers) -> None:
    """Check that two different players of the league are merged by a third person."""
    player, into = command.player, command.into
    if player == into:
        raise MergeInvalid(problem=Wording("a player cannot be merged into themselves"))
    if is_house_bot(player) or is_house_bot(into):
        raise MergeInvalid(problem=Wording("a house bot is no person"))
    if command.by in (player, into):
        raise MergeInvalid(problem=Wording("an owner cannot merge themselves; ask another owner"))
    held = state.role_of(player)
    if state.role_of(into) is None or (held is None and not command.known):
        raise MemberUnknown
    if held not in (None, "player"):
        raise MergeOfOffice(role=held)
    for each in (player, into):
        ban = state.ban_of(each)
        if ban is not None and ban.holds(command.now):
            raise MergeOfBanned(player=each)
