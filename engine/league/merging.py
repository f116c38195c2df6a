"""
Merging two players of a league who are one person.

The log keeps both identifiers. From the merge on the league counts everything of the merged player
for the other one, and the merged player is no longer a member.

Source: rulebook ``standings.merged``.
"""

from datetime import datetime

import msgspec

from engine.values import PlayerId, TextRef, TournamentId


class _Part(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    pass


class MergePlayers(_Part, frozen=True, kw_only=True, tag="merge_players"):
    """Count everything of ``player`` for ``into`` from now on."""

    player: PlayerId
    into: PlayerId
    by: PlayerId
    reason: TextRef
    known: bool
    """True if ``player`` has entered a tournament of the league, or a season was told points."""

    entered: tuple[TournamentId, ...] = ()
    """Tournaments to come or in play in which ``player`` is entered."""

    met: tuple[TournamentId, ...] = ()
    """Tournaments that were not cancelled in which both are entered, or were."""

    now: datetime


class PlayersMerged(_Part, frozen=True, kw_only=True, tag="players_merged"):
    """Two players who are one person were merged. ``player`` no longer acts in the league."""

    player: PlayerId
    """The player who goes. Earlier events keep this identifier."""

    into: PlayerId
    """The player who stays, and for whom everything counts."""

    by: PlayerId
    """The owner who merged them. Never one of the two."""

    reason: TextRef
