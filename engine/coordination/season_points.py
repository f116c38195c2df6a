"""
The points that a season is asked to award for a finished tournament.

House bots are left out, as if they had not played. Source: rulebook ``points.house_bots``.
"""

from collections.abc import Sequence
from datetime import datetime

from engine.kit.currencies import fraction_digits
from engine.kit.house_bots import is_house_bot
from engine.season.commands import AwardPoints
from engine.season.values import Finish
from engine.tournament.model.state import Finished
from engine.tournament.model.values import Placing
from engine.tournament.money import pool


def points_of(tournament: Finished, *, now: datetime) -> AwardPoints:
    """Return the command that awards a finished tournament's points in its season."""
    terms, books = tournament.terms, tournament.books
    entrants = pool.entrants_of(tournament)
    charged = pool.charged_to(terms, books, entrants)
    counted = without_house_bots(tournament.placings)
    house = {each.entrant for each in tournament.placings if is_house_bot(each.player)}
    knockouts = pool.knockouts_of(tournament, uncounted=house)
    return AwardPoints(
        tournament=terms.tournament,
        placings=tuple(
            Finish(
                entrant=each.entrant,
                player=each.player,
                place=each.place,
                shared=each.shared,
                spent=charged[each.entrant].whole,
                knockouts=knockouts.get(each.entrant, 0),
            )
            for each in counted
        ),
        buy_in=terms.fees.buy_in,
        pool=pool.pool_of(terms, books, entrants),
        money_digits=fraction_digits(terms.currency),
        entries=len(counted) + sum(each not in house for each in books.rebuys),
        now=now,
    )


def without_house_bots(placings: Sequence[Placing]) -> tuple[Placing, ...]:
    """
    Return the placings of everybody else, who move up to the places that house bots held.

    Entrants who shared places share the best places that are left for them.
    """
    people = [each for each in placings if not is_house_bot(each.player)]
    if len(people) == len(placings):
        return tuple(placings)
    places = [each.place for each in people]
    return tuple(
        Placing(
            entrant=each.entrant,
            player=each.player,
            place=1 + sum(place < each.place for place in places),
            shared=places.count(each.place),
        )
        for each in people
    )
