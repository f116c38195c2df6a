"""The money of a tournament is conserved: all income is paid out or still there."""

from random import Random
from typing import Any

import pytest
from msgspec.structs import replace

from engine.errors import CommandRejected
from engine.rulesets import resolve, ruleset_hash
from engine.tournament.model.commands import Cancel, DeclareRebuy, Pause, Resume
from engine.tournament.model.commands.floor import Disqualify, StartHandForHand
from engine.tournament.model.commands.money import AcceptDeal, DeclineDeal, ProposeDeal, TakeAddOn
from engine.tournament.model.state import Cancelled, Finished, Running
from engine.tournament.model.terms import FeeTerms
from engine.tournament.model.terms.fees import AddOnTerms, PayoutRow, Price
from engine.tournament.model.values import Standing
from engine.tournament.money.pool import Ledger, ledger_of
from tests.engine.coordination.simulation import Floor
from tests.engine.tournament.books import balanced
from tests.engine.tournament.floor import NOON
from tests.engine.tournament.rulings import RULED

NIGHTS = 60
STEPS_MAX = 4_000
RULES = resolve("better", {"rebuy": {"max": 1, "seconds": 0}})


def any_terms(random: Random) -> dict[str, Any]:
    """Return terms of money. Each choice is as likely as the others."""
    rows = (
        PayoutRow(entrants_from=2, shares=(1,)),
        PayoutRow(entrants_from=7, shares=(5, 3, 2)),
    )
    fees = FeeTerms(
        buy_in=random.choice([0, 1, 997]),
        fee=random.choice([0, 33]),
        bounty=random.choice([0, 101]),
        rebuy=random.choice([None, Price(price=501, fee=7)]),
        add_on=AddOnTerms(price=251, fee=3, chips=500),
        guaranteed=random.choice([0, 5_000]),
        table=random.choice([(), rows]),
        amounts=random.choice([(), (), (700, 400, 100)]),
        paid_percent=random.choice([None, 40]),
        unit=random.choice([1, 10]),
        cancellation=random.choice(["refund_all", "roll_forward"]),
        cancellation_in_money=random.choice(["lowest_unpaid_then_chips", "by_chips"]),
    )
    if fees.amounts:
        # The terms fix the worth of places in one way: by amounts or by shares.
        fees = replace(fees, table=(), paid_percent=None)
    return {
        "fees": fees,
        "payouts": random.choice([(1,), (50, 30, 20), (4, 3, 2, 1)]),
        "prize_pool": random.choice([0, 123]),
        "currency": "EUR",
    }


def told(floor: Floor) -> tuple[Standing, ...]:
    """Return everyone's stack. On a floor without cards no bets lie on the table."""
    return tuple(
        Standing(entrant=place.entrant, stack=place.stack)
        for table in floor.open_tables
        for place in table.places
    )


def meddle(floor: Floor, random: Random) -> None:
    """Send a command about money that is not part of play. A refusal does not matter."""
    state = floor.tournament
    if not isinstance(state, Running) or not state.remaining():
        return
    who = random.choice(state.remaining())
    stacks = told(floor)
    asked = random.choice(
        [
            (ProposeDeal(by=who, method="equal", play_for=random.randrange(50), now=NOON),),
            (
                ProposeDeal(
                    by=None, method="by_chips", stacks=stacks, ends=random.random() < 0.3, now=NOON
                ),
            ),
            (DeclineDeal(entrant=who, offer=state.books.offers, now=NOON),),
            tuple(
                AcceptDeal(entrant=each, offer=state.books.offers, now=NOON)
                for each in state.remaining()
            ),
            (DeclareRebuy(entrant=who, now=NOON),),
            (Pause(reason="break", now=NOON),),
            (Resume(now=NOON),),
            (Disqualify(entrant=who, **RULED),),
            (StartHandForHand(**RULED),),
        ]
    )
    try:
        floor.decide(*asked)
    except CommandRejected:
        return


def add_on(floor: Floor, random: Random) -> None:
    """Sell an add-on if a table is between hands."""
    state = floor.tournament
    idle = [table for table in floor.open_tables if table.hand is None]
    if not isinstance(state, Running) or not idle:
        return
    places = [place.entrant for table in idle for place in table.places]
    try:
        floor.decide(TakeAddOn(entrant=random.choice(places), now=NOON))
    except CommandRejected:
        return


def night(seed: int) -> tuple[Floor, Ledger]:
    """Play a night, and return it with its books, which balanced after every step."""
    random = Random(seed)
    floor = Floor(
        random.randint(2, 14),
        seed=seed,
        ruleset=RULES,
        ruleset_hash=ruleset_hash(RULES),
        table_seats=4,
        **any_terms(random),
    )
    called_off = random.randrange(5, 60) if random.random() < 0.4 else None
    for step in range(STEPS_MAX):
        if isinstance(floor.tournament, Finished | Cancelled):
            break
        if random.random() < 0.1:
            meddle(floor, random)
        if random.random() < 0.1:
            add_on(floor, random)
        if step == called_off:
            floor.decide(Cancel(reason="storm", stacks=told(floor), now=NOON))
        elif not floor.step() and random.random() < 0.2:
            floor.decide(Resume(now=NOON))
        books = ledger_of(floor.tournament)
        assert books is not None
        balanced(books)
    books = ledger_of(floor.tournament)
    assert books is not None
    return floor, books


@pytest.mark.parametrize("seed", range(NIGHTS))
def test_the_money_of_a_night_is_conserved(seed: int) -> None:
    """Money paid in and added equals prizes, bounties, fees and refunds, to the last unit."""
    floor, books = night(seed)

    assert isinstance(floor.tournament, Finished | Cancelled)
    assert (books.pool, books.bounties, books.owed, books.credit) == (0, 0, 0, 0)
    came_in = books.paid + books.added
    won = books.prizes + books.bounties_won
    assert came_in == won + books.fees + books.refunds + books.returned


def test_these_nights_see_deals_bounties_add_ons_rebuys_and_cancellations() -> None:
    """The nights must contain these events, or the test above proves nothing."""
    tags = {
        event.__struct_config__.tag for seed in range(NIGHTS) for event in night(seed)[0].events
    }

    assert tags >= {
        "payout_deal_made",
        "payout_deal_voided",
        "bounty_won",
        "bounty_unclaimed",
        "add_on_taken",
        "rebuy_taken",
        "refunds_awarded",
        "tournament_finished",
        "entrant_disqualified",
        "hand_for_hand_started",
    }
