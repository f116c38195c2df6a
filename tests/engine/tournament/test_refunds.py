"""Refunds of a cancelled tournament, by the policy that its terms name."""

from typing import Any

import pytest

from engine.coordination.policies import stacks_between_hands
from engine.tournament import decider
from engine.tournament.model.commands import Cancel, RecordBusts, StartPlay
from engine.tournament.model.commands.money import AcceptDeal, ProposeDeal, RecordPayment
from engine.tournament.model.errors import DirectiveStale
from engine.tournament.model.events import TournamentCancelled
from engine.tournament.model.events.money import RefundsAwarded
from engine.tournament.model.terms import EntryTerms, FeeTerms
from engine.tournament.model.values import Standing
from engine.values import EntrantId
from tests.engine.coordination.evening import Evening
from tests.engine.scenario import Scenario
from tests.engine.tournament.books import charging, ledger, out, stacks
from tests.engine.tournament.floor import NOON, RULESET, entrant, player, table, to_start
from tests.engine.tournament.test_hand_for_hand import begun
from tests.engine.tournament.test_late_entry import late
from tests.engine.tournament.test_money import entered
from tests.engine.tournament.test_rulings import sitting


def cancel(*told: Standing) -> Cancel:
    return Cancel(reason="storm", stacks=told, now=NOON)


def owed(events: Any) -> dict[EntrantId, int]:
    (awarded,) = (each for each in events if isinstance(each, RefundsAwarded))
    return {each.entrant: each.amount for each in awarded.refunds}


def test_before_play_everyone_gets_back_what_was_charged() -> None:
    """On trust, everyone gets all of it back."""
    given = entered(1, 2, bounty=50)

    decided = given.when(cancel()).events()

    assert owed(decided) == {entrant(1): 1_150, entrant(2): 1_150}
    assert isinstance(decided[-1], TournamentCancelled)
    books = ledger(given)
    assert (books.refunds, books.pool, books.fees, books.bounties) == (2_300, 0, 0, 0)


def test_too_few_entrants_get_their_money_back_too() -> None:
    """The house cancels, and nobody has to ask."""
    decided = entered(1).when(StartPlay(table_ids=(), scheduled=True, now=NOON)).events()

    assert owed(decided) == {entrant(1): 1_100}


def test_before_play_who_has_paid_gets_back_what_was_paid() -> None:
    """A player who has not paid owes nothing any more."""
    given = entered(1, 2, payment="recorded")
    given.asked(
        RecordPayment(entrant=entrant(1), kind="buy_in", amount=400, by=player(99), now=NOON)
    )

    decided = given.when(cancel()).events()

    assert owed(decided) == {entrant(1): 400}
    assert (ledger(given).owed, ledger(given).refunds) == (0, 400)


def test_rolled_forward_the_fee_comes_back_half_the_pool_alike_and_half_by_chips() -> None:
    """
    The pool is 9 000.00, and 100 entrants are left. A stack of 37 500 in 300 000 chips gets 45 and
    562.50, together 607.50.
    """
    fees = FeeTerms(buy_in=9_000, fee=900, cancellation="roll_forward")
    asked = to_start(
        100, entrants_max=100, fees=fees, payouts=(50, 30, 20), currency="EUR", table_seats=8
    )
    given = Scenario(decider).asked(*asked)
    others = [number for number in range(1, 101) if number != 7]
    first = Standing(entrant=entrant(7), stack=37_500)
    rest = (Standing(entrant=entrant(number), stack=2_650) for number in others[:-1])
    last = Standing(entrant=entrant(others[-1]), stack=300_000 - 37_500 - 98 * 2_650)

    decided = given.when(cancel(first, *rest, last)).events()

    (awarded,) = (each for each in decided if isinstance(each, RefundsAwarded))
    mine = next(each for each in awarded.refunds if each.entrant == entrant(7))
    assert (mine.equal, mine.chips, mine.fee) == (4_500, 56_250, 900)
    assert mine.equal + mine.chips == 60_750
    assert sum(each.amount for each in awarded.refunds) == 100 * 9_900
    assert (ledger(given).pool, ledger(given).fees) == (0, 0)


def test_refunding_all_gives_back_what_everyone_paid_and_the_house_its_own() -> None:
    """Eliminated entrants also get their money back. Bounties that were won stay won."""
    given = charging(4, payouts=(1,), bounty=50, guaranteed=5_000)
    given.asked(out(given, entrant(1), by=(entrant(2),)))

    decided = given.when(cancel(*stacks(e2=2_000, e3=1_000, e4=1_000))).events()

    assert owed(decided) == {
        entrant(1): 1_100,
        entrant(2): 1_150,
        entrant(3): 1_150,
        entrant(4): 1_150,
    }
    books = ledger(given)
    assert (books.returned, books.bounties_won) == (1_000, 50)


def test_a_bounty_that_joined_the_pool_goes_back_to_its_payer() -> None:
    """The bounty was paid in like a buy-in."""
    given = charging(4, payouts=(1,), bounty=50)
    given.asked(out(given, entrant(1)))

    decided = given.when(cancel(*stacks(e2=2_000, e3=1_000, e4=1_000))).events()

    assert owed(decided)[entrant(1)] == 1_150
    assert ledger(given).returned == 0


@pytest.mark.parametrize(
    ("policy", "expected"),
    [
        ("lowest_unpaid_then_chips", (1_500 + 220, 1_500 + 80, 1_500)),
        ("by_chips", (3_520, 1_280, 0)),
    ],
)
def test_in_the_money_the_policy_says_how_those_left_share_what_is_left(
    policy: str, expected: tuple[int, ...]
) -> None:
    """
    The fourth prize, 1 200 of six thousand, is won. Three are left, one of them without a chip.
    """
    given = charging(6, payouts=(30, 25, 25, 20), cancellation_in_money=policy)
    for number in (1, 2, 3):
        given.asked(out(given, entrant(number)))

    decided = given.when(cancel(*stacks(e4=4_400, e5=1_600, e6=0))).events()

    owed_to = owed(decided)
    assert owed_to.pop(entrant(3)) == 1_200
    assert tuple(owed_to.get(entrant(number), 0) for number in (4, 5, 6)) == expected
    books = ledger(given)
    assert (books.pool, books.fees) == (0, 600)


def test_stacks_that_are_not_of_those_left_are_refused() -> None:
    """Somebody went out meanwhile, so the stacks have to be sent again."""
    given = charging(4, cancellation="roll_forward", payouts=(1,))
    given.asked(out(given, entrant(1)))

    with pytest.raises(DirectiveStale):
        given.when(cancel(*stacks(e1=1_000, e2=3_000))).events()


def test_a_deal_that_was_made_is_kept_when_the_tournament_is_cancelled() -> None:
    """The money that was left to play for is divided by chips."""
    given = charging(3)
    given.asked(ProposeDeal(by=None, method="equal", play_for=600, now=NOON))
    given.asked(*(AcceptDeal(entrant=entrant(each), offer=1, now=NOON) for each in (1, 2, 3)))
    given.asked(out(given, entrant(1)))

    decided = given.when(cancel(*stacks(e2=2_000, e3=1_000))).events()

    assert owed(decided) == {entrant(1): 800, entrant(2): 1_200, entrant(3): 1_000}


def test_bets_of_a_hand_in_play_count_as_gone_back() -> None:
    """Nobody wins a pot that is not played out."""
    evening = Evening(3, RULESET, starting_stack=1_000)
    (table,) = evening.tables
    evening.next_hand(table)
    assert evening.table.hand is not None
    assert any(place.stack < 1_000 for place in evening.table.places)

    told = stacks_between_hands(evening.table)

    assert [each.stack for each in told] == [1_000, 1_000, 1_000]


def test_a_late_entrant_counts_with_the_stack_that_was_on_its_way() -> None:
    """It comes before the next hand, and there is none."""
    fees = FeeTerms(buy_in=1_000, cancellation="roll_forward")
    entry = EntryTerms(late_registration_seconds=3600)
    asked = to_start(3, table_seats=8, fees=fees, entry=entry, payouts=(1,), currency="EUR")
    given = Scenario(decider).asked(*asked, late(4))

    decided = given.when(cancel(*stacks(e1=1_000, e2=2_000, e3=0))).events()

    (awarded,) = (each for each in decided if isinstance(each, RefundsAwarded))
    assert [each.chips for each in awarded.refunds] == [500, 1_000, 0, 500]
    assert awarded.stacks[-1] == Standing(entrant=entrant(4), stack=1_000)


def test_a_hand_that_ends_after_the_cancellation_counts_for_nothing() -> None:
    """The last action of the hand is not refused, and nobody is eliminated by it."""
    given = charging(3)
    busted: RecordBusts = out(given, entrant(1))
    given.asked(cancel(*stacks(e1=1_000, e2=1_000, e3=1_000)))

    given.when(busted).then_nothing()


def test_where_nobody_has_paid_nothing_is_owed() -> None:
    """Most evenings are free."""
    given = Scenario(decider).asked(*to_start(4))

    (cancelled,) = given.when(cancel()).events()

    assert isinstance(cancelled, TournamentCancelled)


def test_who_is_broke_in_a_round_that_has_placed_nobody_yet_is_still_in() -> None:
    """
    In hand-for-hand play, while another table plays its hand, a busted entrant has no place.
    """
    fees = FeeTerms(buy_in=1_000, cancellation="roll_forward")
    floor = begun(8, fees=fees, payouts=(1,), currency="EUR")
    broke = sitting(floor, 1)[0]
    floor.lose(table(1), broke)
    told = tuple(
        Standing(entrant=place.entrant, stack=place.stack)
        for each in floor.open_tables
        for place in each.places
    )

    floor.decide(cancel(*told))

    paid = owed(floor.events)
    assert paid[broke] == 500
    assert sum(paid.values()) == 8_000
