"""The check of a format before a tournament is announced."""

from collections.abc import Iterable
from itertools import pairwise

from engine.errors import Wording
from engine.rulesets import OpenEnd, Ruleset
from engine.tournament.model.commands import Announce
from engine.tournament.model.terms import Rounds, SingleTable
from engine.tournament.model.terms.announced import Terms

ROUNDS_MAX = 200
ENTRANTS_MAX = 1_000
"""All tables of a round end in one append. Pairing so many entrants takes a second or two."""

TABLE_SEATS_MIN = 3
"""At smaller tables an entrant might sit alone."""

Checked = tuple[str, bool, Wording]


def checked(command: Announce | Terms) -> Iterable[Checked]:
    """Yield each demand on the format: the field, whether it is met, and the text."""
    plan, open_end = command.format, isinstance(command.ruleset.end, OpenEnd)
    if isinstance(plan, SingleTable):
        fits = command.entrants_min <= command.table_seats
        yield "entrants_min", fits, Wording("must not be above table_seats: there is one table")
    if isinstance(plan, Rounds):
        yield "format", not open_end, Wording("a casino has no rounds")
        yield from _of_rounds(command, plan)


def _of_rounds(command: Announce | Terms, plan: Rounds) -> Iterable[Checked]:
    """
    Yield each demand on scheduled rounds.

    Source: rulebook ``rounds.no_rebuy``.
    """
    ruleset = command.ruleset
    bare = not command.fees.bounty and command.fees.add_on is None
    yield "fees", bare, Wording("must have no add-on and no bounty in rounds")
    yield "entry", not command.entry.late, Wording("must have no late registration in rounds")
    yield "format.rounds", 1 <= plan.rounds <= ROUNDS_MAX, Wording(f"must be 1 to {ROUNDS_MAX}")
    hands = plan.hands_per_round
    yield "format.hands_per_round", hands is None or hands >= 1, Wording("must be positive")
    yield "format.between_seconds", plan.between_seconds >= 0, Wording("must not be negative")
    seats = command.table_seats >= TABLE_SEATS_MIN
    yield "table_seats", seats, Wording(f"rounds need tables of {TABLE_SEATS_MIN} at least")
    few = command.entrants_max <= ENTRANTS_MAX
    yield "entrants_max", few, Wording(f"rounds take {ENTRANTS_MAX} at most")
    chips = plan.stacks == "fresh" and plan.points == "places" and plan.final_stack is None
    yield (
        "format.stacks",
        chips or not ruleset.moneyless,
        Wording("a game without chips needs fresh stacks, points by place and no final_stack"),
    )
    yield from _points(command, plan)
    later = plan.rounds - (plan.cut is None)
    yield (
        "format.starts_at",
        len(plan.starts_at) <= later,
        Wording("must not name more times than later rounds and the final"),
    )
    order = (command.starts_at, *plan.starts_at)
    rising = all(one < other for one, other in pairwise(order))
    yield "format.starts_at", rising, Wording("must come one after another, after the start")
    yield from _final(plan, ruleset)


def _points(command: Announce | Terms, plan: Rounds) -> Iterable[Checked]:
    falling = all(one >= other for one, other in pairwise(plan.place_points))
    yield "format.place_points", falling, Wording("must not rise from place to place")
    whole = all(points >= 0 for points in plan.place_points)
    yield "format.place_points", whole, Wording("must not be negative")
    places = len(plan.place_points) <= command.table_seats
    yield "format.place_points", places, Wording("must not be more than a table has seats")
    wanted = plan.points == "places" or not plan.place_points
    yield "format.place_points", wanted, Wording("must be empty unless points go by places")


def _final(plan: Rounds, ruleset: Ruleset) -> Iterable[Checked]:
    yield "format.cut", plan.cut is None or plan.cut >= 2, Wording("must be 2 at least")
    stack = plan.final_stack
    yield (
        "format.final_stack",
        stack is None or plan.cut is not None,
        Wording("must be null without a cut"),
    )
    sound = stack is None or (stack > 0 and stack % ruleset.chip_unit == 0)
    yield (
        "format.final_stack",
        sound,
        Wording(f"must be a positive multiple of {ruleset.chip_unit}"),
    )
