"""The rebuys that staff may take or declare for players, and the winners of a finished evening."""

from collections.abc import Iterable, Mapping

from service.api.public.tournaments import PublicEntrant
from service.api.tournament.entrants import EntrantShown
from service.api.tournament.floors import Floor
from service.api.tournament.tournaments import TournamentShown
from service.console.screens.evening.entry import rebuys_now

_IN = frozenset({"playing", "registered"})
"""The states of an entry that has chips, or is to get them."""


def rebuys_of(shown: TournamentShown, floor: Floor) -> dict[str, int]:
    """Return the number of the next rebuy of all who may take or declare one now."""
    rebuy, seen = shown.ruleset.rebuy, floor.floor
    if not rebuys_now(shown) or seen.closing or seen.last_hands == 0:
        return {}
    levels: dict[str, int] = {
        seat.entrant: table.level for table in seen.tables for seat in table.seats
    }
    last = rebuy.until_level
    return {
        each.id: each.rebuys + 1
        for each in shown.entrants
        if (rebuy.max is None or each.rebuys < rebuy.max)
        and (each.status == "rebuy_open" or _declares(each, levels, last))
    }


def _declares(each: EntrantShown, levels: Mapping[str, int], last: int | None) -> bool:
    in_time = last is None or levels.get(each.id, 1) <= last
    return each.status in _IN and not each.rebuy_declared and in_time


def first_of(entrants: Iterable[EntrantShown | PublicEntrant]) -> tuple[str, ...]:
    """Return the names of those in the first place."""
    return tuple(each.name for each in entrants if each.placing == 1 and each.name)
