"""
Terms that are sound by themselves but contradict each other.

Each contradiction names both members, because the author has to say which one is meant.

Source: rulebook ``entry.draft``.
"""

from collections.abc import Iterator
from datetime import timedelta

from engine.errors import Wording
from engine.rulesets import OpenEnd
from engine.tournament.model.commands import Announce
from engine.tournament.model.errors import TermsContradict
from engine.tournament.model.terms import Rounds, SingleTable
from engine.tournament.model.terms.announced import Terms
from engine.tournament.model.terms.floor import FloorTerms, HandForHandTerms
from engine.tournament.seating.draw import tables_needed, tables_with_final

_ENTRY = "entry"

Found = tuple[str, str, bool, Wording]
"""Two members, whether they contradict each other, and the reason."""


def demand_consistent(terms: Announce | Terms) -> None:
    """
    Check that no two members of *terms* contradict each other.

    Raises:
        TermsContradict: With the first two members that do.
    """
    for field, other, contradict, problem in _found(terms):
        if contradict:
            raise TermsContradict(field=field, other=other, problem=problem)


def _found(terms: Announce | Terms) -> Iterator[Found]:
    yield from _of_one_table(terms)
    yield from _of_rounds(terms)
    yield from _of_hours(terms)
    yield from _of_money(terms)


def _of_one_table(terms: Announce | Terms) -> Iterator[Found]:
    floor, plan, seats = terms.floor, terms.format, terms.table_seats
    most = max(
        tables_needed(terms.entrants_max, table_seats=seats),
        tables_with_final(
            terms.entrants_max, table_seats=seats, final_table_size=floor.final_table_size
        ),
    )
    yield (
        "floor.redraw_at",
        "entrants_max",
        any(each > most for each in floor.redraw_at),
        Wording(f"there are never more than {most} tables"),
    )
    if isinstance(plan, SingleTable):
        yield (
            "entrants_max",
            "table_seats",
            terms.entrants_max > seats,
            Wording("a single table takes no more entrants than it has seats"),
        )
        for name in _several_tables(floor):
            yield (
                name,
                "format",
                True,
                Wording("the first applies to several tables, and the format has one"),
            )
    if isinstance(terms.ruleset.end, OpenEnd):
        for name in _several_tables(floor):
            yield (
                name,
                "ruleset.end",
                True,
                Wording("the first applies to several tables, and a casino has one"),
            )


def _several_tables(floor: FloorTerms) -> Iterator[str]:
    """Yield the members that have a meaning only with several tables."""
    if floor.redraw_at:
        yield "floor.redraw_at"
    if floor.final_table_size is not None:
        yield "floor.final_table_size"
    if floor.halt_when_short is not None:
        yield "floor.halt_when_short"
    if _by_itself(floor.hand_for_hand):
        yield "floor.hand_for_hand"


def _by_itself(terms: HandForHandTerms) -> bool:
    return terms.at_bubble or terms.at_left is not None


def _of_rounds(terms: Announce | Terms) -> Iterator[Found]:
    plan, fees = terms.format, terms.fees
    if not isinstance(plan, Rounds):
        return
    yield "fees.rebuy", "format", fees.rebuy is not None, Wording("rounds have no rebuys")
    if plan.cut is None:
        for name in _several_tables(terms.floor):
            yield (
                name,
                "format.cut",
                True,
                Wording("the first applies to the final, and there is none without a cut"),
            )


def _of_hours(terms: Announce | Terms) -> Iterator[Found]:
    ends, plan = terms.floor.last_hands_at, terms.format
    if ends is None:
        return
    if isinstance(plan, Rounds):
        yield (
            "format.starts_at",
            "floor.last_hands_at",
            any(each >= ends for each in plan.starts_at),
            Wording("a round cannot begin after the last hands"),
        )
    seconds = terms.entry.late_registration_seconds
    yield (
        f"{_ENTRY}.late_registration_seconds",
        "floor.last_hands_at",
        seconds is not None and terms.starts_at + timedelta(seconds=seconds) > ends,
        Wording("late registration must end before the last hands"),
    )


def _of_money(terms: Announce | Terms) -> Iterator[Found]:
    fees = terms.fees
    fixed = bool(fees.amounts)
    yield (
        "fees.rebuy",
        "overrides.rebuy.max",
        fees.rebuy is not None and terms.ruleset.rebuy.max == 0,
        Wording("prices a rebuy, and the ruleset allows none unless it is overridden"),
    )
    yield (
        "fees.table",
        "fees.amounts",
        fixed and bool(fees.table),
        Wording("both say what places are worth"),
    )
    yield (
        "fees.paid_percent",
        "fees.amounts",
        fixed and fees.paid_percent is not None,
        Wording("both say how many places are paid"),
    )
    yield (
        "fees.bounty",
        "ruleset.score",
        bool(fees.bounty) and terms.ruleset.moneyless,
        Wording("a game that counts hands has no knock-outs"),
    )
