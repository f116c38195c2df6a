"""Rebuys, items and add-ons near the end: chips that nobody can play any more are not sold."""

from typing import Any

import pytest
from msgspec.structs import replace

from engine.coordination.aggregates import DECIDERS
from engine.errors import CommandRejected
from engine.table.model.commands import BuyChips
from engine.table.model.errors import NoHandLeft
from engine.tournament.model.commands import (
    CloseEarly,
    DeclareRebuy,
    Pause,
    RecordBusts,
    Resume,
    StakeItem,
)
from engine.tournament.model.commands.floor import CallLastHands
from engine.tournament.model.commands.money import TakeAddOn
from engine.tournament.model.errors import RebuyNotAllowed
from engine.tournament.model.errors.money import AddOnNotAllowed
from engine.tournament.model.events import RebuyTaken
from engine.tournament.model.state import Finished, Running
from engine.tournament.model.terms.fees import AddOnTerms, FeeTerms
from engine.tournament.model.values import Busted
from engine.values import Seat
from tests.engine.coordination.evening import Evening, folding
from tests.engine.tournament.test_last_dealers import bold_at
from tests.engine.tournament.test_rebuys import after_a_bust, all_in, busted, eliminated, rules


@pytest.mark.parametrize("declared", [False, True])
def test_nobody_buys_a_place_after_the_last_hand(declared: bool) -> None:
    end = {"kind": "hands_or_last", "hands": 1}
    evening = Evening(3, rules(rebuy={"max": 1}, end=end))
    evening.play_as = all_in
    for place in evening.table.places if declared else ():
        evening.ask(DeclareRebuy(entrant=place.entrant, now=evening.now))
    evening.next_hand(evening.table.table)
    evening.play_hand(evening.table.table)
    assert busted(evening)
    assert set(eliminated(evening)) == set(busted(evening))
    assert not [event for event in evening.events if isinstance(event, RebuyTaken)]


def test_nobody_buys_a_place_once_nobody_who_has_yet_to_deal_can() -> None:
    """The second has no rebuy left. Without their deal no hand follows, so the first is out too."""
    kept = []
    for to_deal in (1, 0, 2):
        evening = Evening(3, rules(rebuy={"max": 1}, end={"kind": "each_dealt_once"}))
        table = evening.table.table
        first, second, third = (
            Busted(entrant=place.entrant, seat=Seat(place.seat), stack_at_start=10)
            for place in evening.table.places
        )
        lost = RecordBusts(table=table, hand_number=1, busts=(second,), now=evening.now)
        evening.ask(replace(lost, to_deal=(third.entrant,)))
        evening.ask(DeclareRebuy(entrant=second.entrant, now=evening.now))
        left = (first, second, third)[to_deal].entrant
        evening.ask(replace(lost, hand_number=2, busts=(first, second), to_deal=(left,)))
        windows = evening.tournament.windows if isinstance(evening.tournament, Running) else ()
        kept.append([window.entrant for window in windows])
    assert kept == [[], [first.entrant], [first.entrant]]


@pytest.mark.parametrize("end", [CallLastHands, CloseEarly])
def test_an_open_window_sells_nothing_once_no_further_hand_opens(end: Any) -> None:
    evening = after_a_bust(rebuy={"max": 1, "seconds": 600}, special_item=True, item_values=[20])
    assert evening.plan(evening.table.table).wait_seconds == 600
    evening.ask(end(now=evening.now))
    for order in (
        DeclareRebuy(entrant=busted(evening)[0], now=evening.now),
        StakeItem(entrant=busted(evening)[0], item="ship", value=20, now=evening.now),
    ):
        with pytest.raises(RebuyNotAllowed) as refused:
            evening.ask(order)
        assert refused.value.facts["reason"] == "no_hand_left"
    plan = evening.plan(evening.table.table)
    assert (plan.outcome, plan.wait_seconds) == ("windows", 0)


@pytest.mark.parametrize("end", [CallLastHands, CloseEarly])
def test_no_rebuy_is_declared_once_no_further_hand_opens(end: Any) -> None:
    """It would be owed, and could never come."""
    evening = Evening(3, rules(rebuy={"max": 1}))
    table = evening.table.table
    evening.next_hand(table)
    evening.ask(end(now=evening.now))
    with pytest.raises(RebuyNotAllowed) as refused:
        evening.ask(DeclareRebuy(entrant=evening.table.places[0].entrant, now=evening.now))
    assert refused.value.facts["reason"] == "no_hand_left"


SOLD: dict[str, Any] = {
    "currency": "EUR",
    "payouts": (1,),
    "fees": FeeTerms(buy_in=1000, add_on=AddOnTerms(price=500, chips=100)),
}


def paused(end: dict[str, Any], hands: int, players: int = 3) -> Evening:
    """Return a game that a director pauses in its last hand of so many, which is then settled."""
    evening = Evening(players, rules(end=end), **SOLD)
    evening.play_as = folding
    table = evening.table.table
    for number in range(1, hands + 1):
        evening.next_hand(table)
        if number == hands:
            evening.ask(Pause(reason="director", now=evening.now))
        evening.play_hand(table)
    return evening


def refused(evening: Evening) -> CommandRejected:
    least = min(evening.table.places, key=lambda place: place.stack)
    with pytest.raises(CommandRejected) as refusal:
        evening.ask(TakeAddOn(entrant=least.entrant, now=evening.now))
    return refusal.value


@pytest.mark.parametrize(
    ("end", "hands"), [({"kind": "hands_or_last", "hands": 2}, 2), ({"kind": "each_dealt_once"}, 3)]
)
def test_nobody_takes_an_add_on_after_the_last_hand(end: dict[str, Any], hands: int) -> None:
    """Its chips would count for the places, and so buy the prize."""
    before = paused(end, hands - 1)
    least = min(before.table.places, key=lambda place: place.stack)
    assert before.ask(TakeAddOn(entrant=least.entrant, now=before.now))
    evening = paused(end, hands)
    assert isinstance(refused(evening), NoHandLeft)
    evening.ask(Resume(now=evening.now))
    evening.next_hand(evening.table.table)
    assert isinstance(evening.tournament, Finished)


def test_nobody_takes_an_add_on_once_nobody_who_has_yet_to_deal_has_chips() -> None:
    """The hand that took their last chips was not opened as the last, and yet it was."""

    evening = Evening(4, rules(end={"kind": "each_dealt_once"}), table_seats=4, **SOLD)
    table = evening.table.table
    evening.play_as = bold_at(1)
    evening.next_hand(table)
    evening.play_hand(table)
    evening.play_as = bold_at(1, 3, 4)
    evening.next_hand(table)
    evening.ask(Pause(reason="director", now=evening.now))
    evening.play_hand(table)
    assert {place.seat for place in evening.table.places} == {1, 2}
    assert evening.table.dealers_left == (3, 4) and not evening.table.played_last
    assert isinstance(refused(evening), NoHandLeft)


@pytest.mark.parametrize("call", [CallLastHands, CloseEarly])
def test_nobody_takes_an_add_on_once_the_last_hands_are_called(call: Any) -> None:
    evening = paused({"kind": "last_standing"}, 1)
    evening.ask(call(now=evening.now))
    why = refused(evening)
    assert isinstance(why, AddOnNotAllowed) and why.facts["reason"] == "no_hand_left"


def test_a_table_decides_older_add_ons_again_as_they_were() -> None:
    """Audits ask it. A log from before this rule may hold an add-on after the last hand."""
    evening = paused({"kind": "hands_or_last", "hands": 2}, 2)
    least = min(evening.table.places, key=lambda place: place.stack)
    bought = BuyChips(
        seat=least.seat, entrant=least.entrant, chips=100, cause="add_on", now=evening.now
    )
    [event] = DECIDERS["table"].decide(evening.table, bought)
    assert event.chips == 100
