"""Knock-outs, and the winners of bounties."""

from typing import Any

import pytest
from msgspec.structs import replace

from engine.coordination.policies import fatal_pots
from engine.rulesets import resolve
from engine.table.model.events import (
    Bust,
    FormedPot,
    HandSettled,
    PotAwarded,
    PotsFormed,
    SeatStack,
    Share,
)
from engine.tournament.model.commands import CloseWindows, DeclareRebuy
from engine.tournament.model.commands.floor import Disqualify
from engine.tournament.model.events import EntrantEliminated, TournamentFinished
from engine.tournament.model.events.money import BountyUnclaimed, BountyWon, EntrantKnockedOut
from engine.tournament.model.terms import FeeTerms
from engine.tournament.money.pool import knockouts_of
from engine.values import HandId, TableId
from tests.engine.scenario import Scenario
from tests.engine.tournament.books import charging, ledger, out
from tests.engine.tournament.floor import NOON, entrant, table
from tests.engine.tournament.rulings import RULED
from tests.engine.tournament.test_hand_for_hand import begun, step
from tests.engine.tournament.test_money import charging_with
from tests.engine.tournament.test_rulings import sitting

HAND = HandId("hnd_" + "0" * 32)


def won(events: Any) -> list[tuple[Any, ...]]:
    return [
        (each.entrant, each.by, each.amount, each.rule)
        for each in events
        if isinstance(each, BountyWon)
    ]


def pots(*eligible: tuple[int, ...]) -> PotsFormed:
    formed = tuple(FormedPot(chips=90, eligible=seats) for seats in eligible)
    return PotsFormed(pots=formed, carry=0, dead=0, rule="pots.layers")


def awarded(pot: int, *seats: int) -> PotAwarded:
    shares = tuple(Share(seat=seat, chips=90 // len(seats)) for seat in seats)
    return PotAwarded(pot=pot, chips=90, shares=shares, remainder=0, rule="pots.award")


def hand_with(*busts: int) -> HandSettled:
    return HandSettled(
        hand=HAND,
        number=4,
        ending="showdown",
        stacks=tuple(SeatStack(seat=seat, entrant=entrant(seat), stack=0) for seat in range(1, 6)),
        winners=(),
        busts=tuple(
            Bust(seat=seat, entrant=entrant(seat), stack_at_start=50, hand_number=4)
            for seat in busts
        ),
        carry=0,
        chips_moved=0,
        hands=4,
        at=NOON,
    )


def test_the_shortest_all_in_goes_with_the_main_pot_and_others_with_their_side_pots() -> None:
    """Three players are all-in. The winner of side pot 1 gets the marker of the second-shortest."""
    events = (
        pots((1, 2, 3, 4), (2, 3, 4), (3, 4)),
        awarded(1, 4),
        awarded(2, 3),
        awarded(3, 4),
    )

    fatal = fatal_pots(events, hand_with(1, 2))

    assert fatal == {1: (1, (entrant(4),)), 2: (2, (entrant(3),))}


def test_a_pot_that_is_split_has_several_winners_and_one_that_is_carried_none() -> None:
    """Winners are in seat order. A pot that nobody won counts as nobody's knock-out."""
    formed = pots((1, 2, 3, 4), (2, 3, 4))

    fatal = fatal_pots((formed, awarded(1, 4, 3)), hand_with(1, 2))

    assert fatal == {1: (1, (entrant(3), entrant(4))), 2: (2, ())}


def test_who_could_win_no_pot_had_chips_in_the_main_pot() -> None:
    """The seat folded with its last chip in the pot."""
    assert fatal_pots((pots((2, 3)), awarded(1, 3)), hand_with(1)) == {1: (1, (entrant(3),))}


def test_the_winner_of_the_fatal_pot_gets_the_bounty() -> None:
    """The award is in the decision of the elimination, and counts as a knock-out."""
    given = charging(4, bounty=250)

    decided = given.when(out(given, entrant(1), by=(entrant(3),))).events()

    assert [type(each) for each in decided][1:] == [
        EntrantKnockedOut,
        EntrantEliminated,
        BountyWon,
    ]
    assert won(decided) == [(entrant(1), entrant(3), 250, "bounty.won")]
    assert knockouts_of(given.state) == {entrant(3): 1}
    books = ledger(given)
    assert (books.bounties_won, books.bounties) == (250, 750)


def test_a_bounty_is_split_among_the_winners_the_odd_unit_in_seat_order() -> None:
    """Each of the winners counts a knock-out."""
    given = charging(4, bounty=251)

    decided = given.when(out(given, entrant(1), by=(entrant(3), entrant(2)))).events()

    assert [each[1:3] for each in won(decided)] == [(entrant(3), 126), (entrant(2), 125)]
    assert knockouts_of(given.state) == {entrant(2): 1, entrant(3): 1}


def test_a_bounty_that_nobody_won_joins_the_prize_pool() -> None:
    """No money is lost in a pot that is carried."""
    given = charging(4, bounty=250)

    decided = given.when(out(given, entrant(1))).events()

    assert isinstance(decided[-1], BountyUnclaimed)
    books = ledger(given)
    assert (books.pool, books.bounties) == (4_250, 750)


def test_who_is_never_knocked_out_keeps_the_own_bounty() -> None:
    """
    At the end every bounty has been won, and the pool is paid out with what joined it.
    """
    given = charging(3, bounty=250, payouts=(1,))
    given.asked(out(given, entrant(1)))

    decided = given.when(out(given, entrant(2), by=(entrant(3),))).events()

    assert won(decided) == [
        (entrant(2), entrant(3), 250, "bounty.won"),
        (entrant(3), entrant(3), 250, "bounty.own"),
    ]
    finished = decided[-1]
    assert isinstance(finished, TournamentFinished)
    assert [each.amount for each in finished.payouts] == [3_250]
    books = ledger(given)
    assert (books.pool, books.bounties, books.bounties_won) == (0, 0, 500)


@pytest.fixture
def rebuying() -> Scenario:
    """Return a tournament with bounties in which everyone may rebuy once."""
    rules = resolve("better", {"rebuy": {"max": 1, "seconds": 60}})
    return charging_with(rules, FeeTerms(buy_in=1_000, bounty=250))


def test_a_bust_that_is_bought_back_pays_no_bounty(rebuying: Scenario) -> None:
    """The first bust was no elimination. The next one counts, and so does its winner."""
    rebuying.asked(out(rebuying, entrant(1), by=(entrant(2),)))
    rebuying.asked(DeclareRebuy(entrant=entrant(1), now=NOON))
    assert knockouts_of(rebuying.state) == {}

    decided = rebuying.when(out(rebuying, entrant(1), by=(entrant(3),))).events()

    assert won(decided) == [(entrant(1), entrant(3), 250, "bounty.won")]
    assert knockouts_of(rebuying.state) == {entrant(3): 1}


def test_who_came_back_is_nobodys_knockout_any_more(rebuying: Scenario) -> None:
    """A later elimination without a pot, such as by a ruling, does not pay for the old bust."""
    rebuying.asked(out(rebuying, entrant(1), by=(entrant(2),)))
    rebuying.asked(DeclareRebuy(entrant=entrant(1), now=NOON))

    busted = out(rebuying, entrant(1))
    unseen = replace(busted, busts=tuple(replace(each, pot=None) for each in busted.busts))
    decided = rebuying.when(unseen).events()

    assert won(decided) == []
    assert isinstance(decided[-1], BountyUnclaimed)


def test_a_bounty_is_won_when_the_window_closes_by_who_won_the_pot(rebuying: Scenario) -> None:
    """The winner is known from the bust on, the elimination only now."""
    rebuying.asked(out(rebuying, entrant(1), by=(entrant(2),)))

    closing = CloseWindows(table=TableId(table(1)), now=NOON)
    decided = rebuying.when(closing).events()

    assert won(decided) == [(entrant(1), entrant(2), 250, "bounty.won")]


BOUNTIES: dict[str, Any] = {
    "fees": FeeTerms(buy_in=1_000, bounty=250),
    "payouts": (1,),
    "currency": "EUR",
}


def test_a_bounty_is_won_when_the_round_of_hand_for_hand_places_its_busts() -> None:
    """The pot is known from the hand on, the place only when all tables have played theirs."""
    floor = begun(8, **BOUNTIES)
    loser, winner = sitting(floor, 1)[:2]
    floor.lose(table(1), loser)
    assert won(floor.events) == []

    floor.lose(table(2))
    step(floor)

    assert won(floor.events) == [(loser, winner, 250, "bounty.won")]


def test_nobody_wins_the_bounty_of_who_is_disqualified() -> None:
    """The bounty joins the pool, because there was no pot to win it with."""
    given = charging(4, bounty=250)

    decided = given.when(Disqualify(entrant=entrant(1), **RULED)).events()

    assert won(decided) == []
    assert isinstance(decided[-1], BountyUnclaimed)
    assert ledger(given).pool == 4_250
