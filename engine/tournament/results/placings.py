"""
Who finished where.

Source: WSOP rule 126-b and TDA practice (simultaneous eliminations).
"""

from collections.abc import Mapping, Sequence
from itertools import groupby

from engine.tournament.model.values import Entry, Placing, Standing
from engine.values import EntrantId


def ranked(
    standings: Sequence[Standing], *, first_place: int, entries: Mapping[EntrantId, Entry]
) -> tuple[Placing, ...]:
    """
    Return placings from *first_place* on, the best standing first; equals share.

    Args:
        standings:
            Stacks that decide: at the start of the fatal hand of those who
            went out together, or at the end of those who are left.

        first_place: The best place there is to give; 1 is the winner's.

    Source: rulebook ``elimination`` and ``finish.ties``.
    """
    by_number = sorted(standings, key=lambda each: entries[each.entrant].number)
    order = sorted(by_number, key=lambda each: each.rank, reverse=True)
    placings: list[Placing] = []
    for _, group in groupby(order, key=lambda each: each.rank):
        equals = tuple(group)
        place = first_place + len(placings)
        placings.extend(
            Placing(
                entrant=each.entrant,
                player=entries[each.entrant].player,
                place=place,
                shared=len(equals),
            )
            for each in equals
        )
    return tuple(placings)
