"""Payout deals between the remaining entrants."""

from typing import Any

import pytest

from engine.rulesets import resolve, ruleset_hash
from engine.tournament import decider
from engine.tournament.model.commands import DeclareRebuy, Finish
from engine.tournament.model.commands.correcting import CorrectResult, Forfeit
from engine.tournament.model.commands.money import AcceptDeal, DeclineDeal, ProposeDeal
from engine.tournament.model.errors import DirectiveStale
from engine.tournament.model.errors.correcting import CorrectionInvalid
from engine.tournament.model.errors.money import (
    DealAmountsWrong,
    DealNotOpen,
    DealNotPossible,
    DealPending,
)
from engine.tournament.model.events import PlayClosing
from engine.tournament.model.events.money import (
    PayoutDealAccepted,
    PayoutDealMade,
    PayoutDealProposed,
    PayoutDealVoided,
)
from engine.tournament.model.terms import EntryTerms, FeeTerms
from engine.tournament.model.values.money import DealShare
from engine.tournament.money.dealing import obstacle
from engine.values import TextId, TextRef
from tests.engine.scenario import Scenario
from tests.engine.tournament.books import charging, ledger, out, stacks
from tests.engine.tournament.floor import NOON, entrant, player, to_start

CHIPS = stacks(e2=3_000, e3=600, e4=400)
SIGNED: dict[str, Any] = {
    "by": player(99),
    "reason": TextRef(text=TextId("txt_" + "0" * 32), digest="00" * 32),
    "now": NOON,
}


def three_left() -> Scenario:
    """Return a tournament for 4 000 in which three play for 50, 30 and 20 per cent."""
    given = charging(4)
    return given.asked(out(given, entrant(1)))


def propose(**asked: Any) -> ProposeDeal:
    return ProposeDeal(**{"by": entrant(2), "method": "equal", "now": NOON, **asked})


def accept(number: int, offer: int = 1) -> AcceptDeal:
    return AcceptDeal(entrant=entrant(number), offer=offer, now=NOON)


def shares(proposed: Any) -> list[int]:
    assert isinstance(proposed, PayoutDealProposed)
    return [each.amount for each in proposed.shares]


def test_a_deal_in_equal_parts_gives_the_odd_unit_in_order_of_registration() -> None:
    """4 000 are divided by three."""
    (proposed,) = three_left().when(propose()).events()

    assert shares(proposed) == [1_334, 1_333, 1_333]
    assert proposed.rule == "payout_deal.equal"


def test_a_deal_by_chips_goes_by_the_stacks() -> None:
    """3 000 of 4 000 chips get three quarters of the divided money. The rest is played for."""
    asked = propose(method="by_chips", stacks=CHIPS, play_for=1_000)

    (proposed,) = three_left().when(asked).events()

    assert shares(proposed) == [2_250, 450, 300]
    assert (proposed.play_for, proposed.stacks) == (1_000, CHIPS)


def test_a_deal_by_chips_needs_the_stacks_of_everyone_still_in() -> None:
    """The house tells the stacks, not the proposer."""
    with pytest.raises(DirectiveStale):
        three_left().when(propose(method="by_chips", stacks=CHIPS[:2])).events()


@pytest.mark.parametrize(
    ("amounts", "given"), [((1_000, 1_000, 1_000), 3_000), ((3_000, 1_000, 1_000), 5_000)]
)
def test_the_shares_of_a_deal_add_up_to_what_is_played_for(
    amounts: tuple[int, ...], given: int
) -> None:
    """No money is left over, and none is promised that is not there."""
    explicit = tuple(
        DealShare(entrant=entrant(number), amount=amount)
        for number, amount in enumerate(amounts, start=2)
    )
    three_left().when(propose(method="explicit", shares=explicit)).then_rejected(
        DealAmountsWrong, given=given, at_stake=4_000
    )


def test_a_deal_names_everyone_still_in() -> None:
    """Nobody can be left out of a deal."""
    explicit = (DealShare(entrant=entrant(2), amount=4_000),)
    three_left().when(propose(method="explicit", shares=explicit)).then_rejected(
        DealAmountsWrong, given=4_000, at_stake=4_000
    )


def test_a_deal_is_made_when_everyone_still_in_has_accepted_it() -> None:
    """The entrant who proposed the deal has to accept it too."""
    given = three_left().asked(propose(), accept(2), accept(3))

    given.when(accept(4)).then(
        PayoutDealAccepted(number=1, entrant=entrant(4)),
        PayoutDealMade(number=1, rule="payout_deal.made"),
    )
    given.when(propose()).then_rejected(DealNotPossible, reason="deal_made")


def test_a_deal_that_one_declines_is_void_for_all() -> None:
    """After a declined deal, another deal may be proposed."""
    given = three_left().asked(propose(), accept(2))
    given.when(propose()).then_rejected(DealPending, number=1)

    given.when(DeclineDeal(entrant=entrant(3), offer=1, now=NOON)).then(
        PayoutDealVoided(
            number=1, entrant=entrant(3), cause="declined", rule="payout_deal.declined"
        )
    )

    given.when(accept(4)).then_rejected(DealNotOpen, number=1)
    given.asked(propose()).when(accept(4, offer=2)).then(
        PayoutDealAccepted(number=2, entrant=entrant(4))
    )


def test_a_deal_proposed_is_void_when_somebody_goes_broke() -> None:
    """A bust changes the money that is played for."""
    given = three_left().asked(propose(), accept(2))

    decided = given.when(out(given, entrant(4))).events()

    assert (
        PayoutDealVoided(number=1, entrant=entrant(4), cause="bust", rule="payout_deal.bust")
        in decided
    )
    given.when(accept(3)).then_rejected(DealNotOpen, number=1)


def test_only_a_party_to_it_can_answer_a_deal() -> None:
    """An entrant who is out has nothing to give away."""
    three_left().asked(propose()).when(accept(1)).then_rejected(DealNotOpen, number=1)


@pytest.mark.parametrize(
    ("given", "asked", "reason"),
    [
        (three_left(), propose(by=entrant(1)), "out"),
        (charging(4, buy_in=0, fee=5), propose(), "nothing_to_divide"),
    ],
)
def test_no_deal_where_there_is_nothing_to_divide_or_the_proposer_is_out(
    given: Scenario, asked: ProposeDeal, reason: str
) -> None:
    """A director proposes without an entrant. An entrant proposes only in their own name."""
    given.when(asked).then_rejected(DealNotPossible, reason=reason)


def test_a_deal_fixes_the_payouts_and_the_winner_gets_what_was_left_to_play_for() -> None:
    """The places of the parties do not matter. Entrants who were out before are paid by place."""
    given = charging(5, payouts=(40, 30, 20, 10))
    given.asked(out(given, entrant(1)))
    given.asked(out(given, entrant(5)))
    asked = propose(method="by_chips", stacks=CHIPS, play_for=500, by=None)
    given.asked(asked, accept(2), accept(3), accept(4))
    given.asked(out(given, entrant(2)))

    finished = given.when(out(given, entrant(3))).events()[-1]

    won = {each.entrant: (each.place, each.amount) for each in finished.payouts}
    assert won == {
        entrant(5): (4, 500),
        entrant(2): (3, 3_000),
        entrant(3): (2, 600),
        entrant(4): (1, 900),
    }
    assert ledger(given).pool == 0


def test_a_deal_may_end_play_and_chips_decide_the_places() -> None:
    """Everyone gets the agreed share."""
    given = three_left().asked(propose(ends=True), accept(2), accept(3))

    decided = given.when(accept(4)).events()

    assert decided[-1] == PlayClosing(rule="finish.deal")
    finish = Finish(rule="finish.deal", stacks=CHIPS, now=NOON)
    (finished,) = given.when(finish).events()
    assert [(each.entrant, each.place, each.amount) for each in finished.payouts] == [
        (entrant(2), 1, 1_334),
        (entrant(3), 2, 1_333),
        (entrant(4), 3, 1_333),
    ]


def ended_by_a_deal(**asked: Any) -> Scenario:
    """Return a result in which three entrants have divided 4 000 by a deal."""
    given = three_left().asked(propose(ends=True, **asked))
    given.asked(accept(2), accept(3), accept(4))
    return given.asked(Finish(rule="finish.deal", stacks=CHIPS, now=NOON))


def paid(given: Scenario) -> dict[Any, int]:
    return {each.entrant: each.amount for each in given.state.payouts}


def test_a_corrected_order_leaves_the_shares_of_a_deal_as_they_were_agreed() -> None:
    """Only the money that was left to play for follows the places."""
    given = ended_by_a_deal(play_for=1_000)
    assert paid(given) == {entrant(2): 2_000, entrant(3): 1_000, entrant(4): 1_000}

    order = ((entrant(4),), (entrant(2),), (entrant(3),), (entrant(1),))
    given.asked(CorrectResult(order=order, **SIGNED))

    assert paid(given) == {entrant(2): 1_000, entrant(3): 1_000, entrant(4): 2_000}


def test_a_forfeited_share_goes_to_the_best_of_the_others() -> None:
    """The parties keep the worth of their places among themselves. The others move up."""
    given = ended_by_a_deal().asked(Forfeit(entrant=entrant(3), **SIGNED))

    assert sum(paid(given).values()) == 4_000
    assert paid(given)[entrant(4)] == 1_333
    assert entrant(3) not in paid(given)


def test_who_made_a_deal_is_not_put_below_who_did_not() -> None:
    """A lower place would leave the shares unclear, so the correction has to name the amounts."""
    order = ((entrant(1),), (entrant(2),), (entrant(3),), (entrant(4),))

    with pytest.raises(CorrectionInvalid, match="award the prizes again"):
        ended_by_a_deal().when(CorrectResult(order=order, **SIGNED)).events()


def test_no_deal_while_others_may_still_enter() -> None:
    """Players who enter late play for the same places."""
    entry = EntryTerms(late_registration_seconds=600)
    asked = to_start(
        4, fees=FeeTerms(buy_in=1_000), payouts=(1,), currency="EUR", entry=entry, table_seats=8
    )
    given = Scenario(decider).asked(*asked)

    given.when(propose()).then_rejected(DealNotPossible, reason="others_may_still_enter")


def test_no_deal_while_somebody_may_buy_back_in() -> None:
    """An entrant without chips still plays for the prizes until the window closes."""
    rules = resolve("better", {"rebuy": {"max": None, "seconds": 60}})
    asked = to_start(
        4, ruleset=rules, ruleset_hash=ruleset_hash(rules), fees=FeeTerms(buy_in=1_000),
        payouts=(50, 30), currency="EUR", table_seats=6,
    )  # fmt: skip
    given = Scenario(decider).asked(*asked)
    assert obstacle(given.state) is None
    given.asked(out(given, entrant(1)))

    assert obstacle(given.state) == "somebody_may_come_back"
    given.when(propose()).then_rejected(DealNotPossible, reason="somebody_may_come_back")

    given.asked(DeclareRebuy(entrant=entrant(1), now=NOON))
    assert obstacle(given.state) is None
    (proposed,) = given.when(propose()).events()
    assert shares(proposed) == [1_250, 1_250, 1_250, 1_250]
