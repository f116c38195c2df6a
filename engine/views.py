"""What a tournament adds to the view of its tables; beside ``engine.policies``."""

import msgspec

from engine.table.view import NextLevelView, TableView
from engine.tournament import levels
from engine.tournament.state import Running
from engine.tournament.state import State as TournamentState


def with_clock(view: TableView, tournament: TournamentState) -> TableView:
    """Return *view* with what the tournament's clock says of the next level."""
    if not isinstance(tournament, Running) or (clock := tournament.clock) is None:
        return view
    following = levels.following(tournament)
    if following is None:
        return view
    left = clock.left_microseconds
    coming = NextLevelView(
        number=clock.level + 1,
        amounts=following,
        due=clock.due,
        left_seconds=None if left is None else left // 1_000_000,
    )
    return msgspec.structs.replace(view, next_level=coming)
