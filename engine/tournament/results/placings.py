"""
The places of entrants.

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
    Return placings from *first_place* on, the best standing first. Equals share their places.

    Args:
        standings: The stacks that decide. For entrants who bust together, these are the stacks at
            the start of the fatal hand. For those who are left, they are the stacks at the end.
        first_place: The best place to give. 1 is the winner's.

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
