"""Players who are one person: which player stands for another from now on."""

from collections.abc import Iterable

import msgspec

from engine.values import PlayerId


class Merged(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Everything of ``player`` counts for ``into``."""

    player: PlayerId
    into: PlayerId


def merged(known: Iterable[Merged], player: PlayerId, into: PlayerId) -> tuple[Merged, ...]:
    """
    Return the merges after one more. Players merged into *player* now count for *into* too.

    >>> first = merged((), PlayerId("plr_a"), PlayerId("plr_b"))
    >>> [each.into for each in merged(first, PlayerId("plr_b"), PlayerId("plr_c"))]
    ['plr_c', 'plr_c']
    """
    moved = (Merged(player=each.player, into=_through(each.into, player, into)) for each in known)
    return (*moved, Merged(player=player, into=into))


def one_of(known: Iterable[Merged], player: PlayerId) -> PlayerId:
    """Return the player who stands for *player*, who may be *player* itself."""
    return next((each.into for each in known if each.player == player), player)


def all_of(known: Iterable[Merged], player: PlayerId) -> tuple[PlayerId, ...]:
    """Return *player* and all players merged into *player*."""
    return (player, *(each.player for each in known if each.into == player))


def _through(held: PlayerId, player: PlayerId, into: PlayerId) -> PlayerId:
    return into if held == player else held
