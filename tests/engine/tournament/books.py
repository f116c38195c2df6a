"""Shared parts of the tests of a tournament's money: terms, and an equation that always holds."""

from typing import Any

from engine.tournament import decider
from engine.tournament.model.commands import RecordBusts
from engine.tournament.model.terms import FeeTerms
from engine.tournament.model.values import Busted, Standing
from engine.tournament.money.pool import Ledger, ledger_of
from engine.values import EntrantId
from tests.engine.scenario import Scenario
from tests.engine.tournament.floor import NOON, entrant, table, to_start


def charging(entrants: int, *, payouts: tuple[int, ...] = (50, 30, 20), **fees: Any) -> Scenario:
    """Return a running tournament of one table with *fees*."""
    terms = FeeTerms(**{"buy_in": 1_000, "fee": 100, **fees})
    asked = to_start(
        entrants, table_seats=8, fees=terms, payouts=payouts, currency="EUR", prize_pool=0
    )
    return Scenario(decider).asked(*asked)


def ledger(given: Scenario) -> Ledger:
    """Return the books, after checking that they balance and that nothing in them is negative."""
    found = ledger_of(given.state)
    assert found is not None
    balanced(found)
    return found


def balanced(found: Ledger) -> None:
    came = found.paid + found.added + found.owed
    went = found.prizes + found.bounties_won + found.refunds
    there = found.pool + found.bounties + found.fees + found.credit + found.returned
    assert came == went + there, found
    values = [getattr(found, name) for name in found.__struct_fields__]
    assert min(values) >= 0, found


def seats(given: Scenario) -> dict[EntrantId, int]:
    return {each.entrant: each.seat for each in given.state.tables[0].seats}


def out(
    given: Scenario, *losers: EntrantId, by: tuple[EntrantId, ...] = (), stack: int = 500
) -> RecordBusts:
    """Return the busts of *losers* in one hand, won by *by*."""
    return RecordBusts(
        table=table(1),
        hand_number=3,
        busts=tuple(
            Busted(entrant=each, seat=seats(given)[each], stack_at_start=stack, pot=1, won_by=by)
            for each in losers
        ),
        now=NOON,
    )


def stacks(**by_number: int) -> tuple[Standing, ...]:
    return tuple(
        Standing(entrant=entrant(int(name[1:])), stack=stack) for name, stack in by_number.items()
    )
