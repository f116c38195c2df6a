"""The level clock of a tournament, as its tables and their views use it."""

import msgspec

from engine.table.model.commands import LevelInForce
from engine.table.read.view_parts import NextLevelView, TableView
from engine.tournament import levels
from engine.tournament.model.state import Running, State
from engine.tournament.model.values import LevelClock


def in_force(clock: LevelClock | None) -> LevelInForce | None:
    """Return the clock's level for the next hand of a table, or None without a clock."""
    if clock is None:
        return None
    return LevelInForce(number=clock.level, amounts=clock.amounts, set_by=clock.set_by)


def with_clock(view: TableView, tournament: State) -> TableView:
    """
    Return *view* with the next level of the tournament's clock.

    Between hands, the view's own level becomes the clock's, because the next hand is opened at it.
    """
    if not isinstance(tournament, Running) or (clock := tournament.clock) is None:
        return view
    if view.hand is None:
        view = msgspec.structs.replace(view, level=clock.level, amounts=clock.amounts)
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
