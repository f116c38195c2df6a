"""The award of points for a finished tournament."""

from collections.abc import Sequence

from engine.errors import Wording
from engine.season.commands import AwardPoints
from engine.season.errors import PlacingsInvalid
from engine.season.events import BonusesAwarded, Event, PointsAwarded, SeasonOpened
from engine.season.points import RULES, awards_of, bonuses_of
from engine.season.values import Field, Finish

MONEY_DIGITS_MAX = 4


def demand_placings(placings: Sequence[Finish]) -> None:
    """
    Check that *placings* are possible in a finished tournament.

    Raises:
        PlacingsInvalid: If they are not possible.
    """
    if not placings:
        raise PlacingsInvalid(problem=Wording("a tournament without entrants gives no points"))
    if len({each.entrant for each in placings}) != len(placings):
        raise PlacingsInvalid(problem=Wording("an entrant has two places"))
    if any(each.place < 1 or each.shared < 1 for each in placings):
        raise PlacingsInvalid(problem=Wording("places are counted from 1"))


def field_of(command: AwardPoints) -> Field:
    """Return the facts of the tournament that a formula can use in addition to the place."""
    if not 0 <= command.money_digits <= MONEY_DIGITS_MAX:
        raise PlacingsInvalid(
            problem=Wording(f"a currency has up to {MONEY_DIGITS_MAX} fraction digits")
        )
    return Field(
        entrants=len(command.placings),
        entries=max(command.entries, len(command.placings)),
        buy_in=command.buy_in,
        pool=command.pool,
        money_digits=command.money_digits,
    )


def awarded(terms: SeasonOpened, command: AwardPoints, field: Field) -> tuple[Event, ...]:
    """Return the event with the points of every place, then the bonuses of the terms."""
    awards = awards_of(command.placings, rule=terms.points, field=field, scale=terms.scale)
    bonuses = bonuses_of(
        awards, bonuses=terms.bonuses, tournament=command.tournament, scale=terms.scale
    )
    points = PointsAwarded(
        tournament=command.tournament,
        field=field,
        awards=awards,
        rule=RULES[type(terms.points)],
    )
    if not bonuses:
        return (points,)
    given = BonusesAwarded(tournament=command.tournament, bonuses=bonuses, rule="points.bonus")
    return points, given
