"""Faults in the engine that the verifier must name, each with a generated season that shows it."""

from typing import NamedTuple

from tests.faults.catalogue import FAULTS
from tests.faults.planting import Fault

Season = tuple[int, int, float]
"""The seed, the number of players and the chaos of a generated season."""

PLAIN: Season = (1, 4, 0.0)
_KNOWN = {fault.name: fault for fault in FAULTS}


class Planted(NamedTuple):
    """A fault, the rule that the verifier must name, and the season that shows it."""

    fault: Fault
    rule: str
    season: Season = PLAIN


def known(name: str, rule: str, season: Season = PLAIN) -> Planted:
    """Return a fault that the tests of the rules catch as well."""
    return Planted(_KNOWN[name], rule, season)


def planted(
    name: str, file: str, sound: str, faulty: str, rule: str, season: Season = PLAIN
) -> Planted:
    """Return a fault that shows in a whole season only."""
    fault = Fault(name=name, file=file, sound=sound, faulty=faulty, caught_by="")
    return Planted(fault, rule, season)


PLANTED = (
    known("fewer cards of the target suit win a tie", "showdown.best"),
    known("a sylop counts for no suit", "showdown.key"),
    known("a short all-in becomes the full raise", "betting.chip_unit"),
    known("a call asks for chips that nobody can contest", "betting.call", (9, 4, 0.0)),
    known("the big blind pays for the table what every player pays", "forced.blinds", (41, 3, 0.6)),
    known("the big blind has no option", "phases"),
    known("below the target is better than above it", "showdown.best"),
    known("blinds double one hand too early", "escalation"),
    known("the second street begins left of the big blind", "betting.turn"),
    known("no card may stay where it was", "generator.piles"),
    planted(
        "forced bets treble",
        "table/decide/opening.py",
        "factor = 2 ** min(",
        "factor = 3 ** min(",
        "escalation",
    ),
    planted(
        "the dice are rolled under another label",
        "kit/dice.py",
        'RandomWords(seed, "target", 1, digest)',
        'RandomWords(seed, "spike", 1, digest)',
        "dice.target",
    ),
    planted(
        "salts are drawn under another label",
        "kit/rng.py",
        'RandomWords(seed, "salt", number, digest)',
        'RandomWords(seed, "salts", number, digest)',
        "generator.piles",
    ),
    planted(
        "seeds go by table and hand in another order",
        "kit/rng.py",
        "for number in (table, hand, deal)",
        "for number in (hand, table, deal)",
        "generator.seeds",
    ),
    planted(
        "cards are dealt in packets and not one at a time",
        "table/games/dealing.py",
        "range(index, cards, dealt_in)",
        "range(index * (cards // dealt_in), (index + 1) * (cards // dealt_in))",
        "cards.deal",
    ),
    planted(
        "a hand that is won is counted twice",
        "table/evolve/at_settlement.py",
        "hands_won=place.hands_won + (place.seat in event.winners)",
        "hands_won=place.hands_won + 2 * (place.seat in event.winners)",
        "absence.timeouts",
    ),
    planted(
        "a place is worth a point more",
        "season/points.py",
        "(field.entrants - place + 1)",
        "(field.entrants - place + 2)",
        "points.places_from_end",
    ),
    planted(
        "the odd units of the prizes go to the last places",
        "tournament/money/prizes.py",
        "        amounts[place] += 1",
        "        amounts[-1 - place] += 1",
        "payouts",
    ),
    planted(
        "who has less at the end is placed higher",
        "tournament/results/placings.py",
        "order = sorted(by_number, key=lambda each: each.rank, reverse=True)",
        "order = sorted(by_number, key=lambda each: each.rank)",
        "finish.ties",
    ),
    planted(
        "the button leaves a seat out",
        "hand/positions.py",
        "marker = clockwise(dealers, marks.marker)[0]",
        "marker = clockwise(dealers, marks.marker)[:2][-1]",
        "button",
    ),
    planted(
        "seats are drawn under the label of moves",
        "tournament/seating/draw.py",
        "shuffle(entrants, seed=seed, label=label, digest=digest)",
        'shuffle(entrants, seed=seed, label="move", digest=digest)',
        "seating.draw",
    ),
    planted(
        "a master is committed to without the zero behind its name",
        "kit/rng.py",
        'tournament.bytes + name.encode() + b"\\0" + master',
        "tournament.bytes + name.encode() + master",
        "generator.seeds",
    ),
    planted(
        "a rebuy brings two stacks",
        "tournament/chips/rebuying.py",
        "chips=state.terms.starting_stack,",
        "chips=2 * state.terms.starting_stack,",
        "rebuy",
        (65, 3, 0.6),
    ),
    known("timeouts are not counted", "absence.timeouts", (5, 5, 0.5)),
)
