"""Counting the results of a merged player. Source: rulebook ``standings.merged``."""

from collections.abc import Iterable, Iterator

from engine.kit.merges import all_of
from engine.season.commands import MergeResults
from engine.season.errors import ResultsMeet
from engine.season.events import ResultsMerged
from engine.season.state import Opened
from engine.values import PlayerId


def merge(state: Opened, command: MergeResults) -> tuple[ResultsMerged, ...]:
    """
    Return the merge, or no event if the season counts the two as one already.

    Raises:
        ResultsMeet: If both have a result in one tournament. The refusal names the first.
    """
    if state.one(command.player) == state.one(command.into):
        return ()
    going = {*all_of(state.merged, command.player)}
    staying = {*all_of(state.merged, command.into)}
    for name, players in _fields(state):
        there = set(players)
        if there & going and there & staying:
            raise ResultsMeet(tournament=name)
    made = ResultsMerged(
        player=command.player,
        into=command.into,
        author=command.author,
        reason=command.reason,
        rule="standings.merged",
    )
    return (made,)


def _fields(state: Opened) -> Iterator[tuple[str, Iterable[PlayerId]]]:
    """Yield the players of each counted tournament."""
    for imported in state.imported:
        yield imported.name, (each.player for each in imported.results)
    for counted in state.counted:
        yield counted.tournament, (each.player for each in counted.awards)
