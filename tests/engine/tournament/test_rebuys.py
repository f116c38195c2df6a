"""Rebuys, and items staked in place of chips, after a bust."""

from collections.abc import Callable
from typing import Any

import pytest

from engine.coordination.policies import level_played
from engine.rulesets import Ruleset, resolve
from engine.rulesets.errors import RulesetInvalid
from engine.table.model import errors as at_tables
from engine.table.model import events
from engine.table.read.recall import commands_of
from engine.table.read.view_parts import TableView
from engine.tournament.model.commands import (
    BuyBackItem,
    CloseWindows,
    DeclareRebuy,
    RecordBusts,
    StakeItem,
)
from engine.tournament.model.errors import ItemNotStaked, ItemValueUnknown, RebuyNotAllowed
from engine.tournament.model.events import (
    EntrantBusted,
    EntrantEliminated,
    ItemPassed,
    RebuyTaken,
    TournamentFinished,
)
from engine.tournament.model.state import Finished, Running
from engine.tournament.model.values import Busted
from engine.values import EntrantId, Seat
from tests.engine.coordination.evening import Evening, cards_of, folding


def rules(**overrides: Any) -> Ruleset:
    """
    Return a game in which everything is in the pot at once, because the ante is a whole stack.
    """
    return resolve(
        "better_simple",
        {
            "first_dealer": "host_choice",
            "starting_stack": 10,
            "tie": {"kind": "chance_cube"},
            "escalation": {"kind": "none"},
            **overrides,
        },
    )


def all_in(view: TableView) -> tuple[str, Any]:
    """Put everything in, or call it."""
    if (chosen := cards_of(view)) is not None:
        return chosen
    for action in view.legal:
        if action.verb == "raise_to":
            return "raise_to", action.max
    return view.legal[1].verb, None


def after_a_bust(players: int = 3, *, quiet: int = 0, **overrides: Any) -> Evening:
    """Play hands until somebody busts. In the first *quiet* hands everyone folds."""
    evening = Evening(players, rules(**overrides))
    table = evening.table.table
    evening.play_as = folding
    for _ in range(quiet):
        evening.next_hand(table)
        evening.play_hand(table)
    evening.play_as = all_in
    while not busted(evening):
        evening.next_hand(table)
        evening.play_hand(table)
    return evening


def busted(evening: Evening) -> list[EntrantId]:
    return [event.entrant for event in evening.events if isinstance(event, EntrantBusted)]


def eliminated(evening: Evening) -> list[EntrantId]:
    return [event.entrant for event in evening.events if isinstance(event, EntrantEliminated)]


def running(evening: Evening) -> Running:
    assert isinstance(evening.tournament, Running)
    return evening.tournament


def chips(evening: Evening) -> int:
    return evening.table.chips()


def test_without_rebuys_a_bust_is_an_elimination_at_once() -> None:
    evening = after_a_bust()
    assert set(eliminated(evening)) == set(busted(evening))


def test_a_bust_becomes_an_elimination_when_its_window_closes() -> None:
    evening = after_a_bust(rebuy={"max": 1, "seconds": 7})
    out = busted(evening)
    assert eliminated(evening) == []
    assert {window.entrant for window in running(evening).windows} == set(out)
    plan = evening.next_hand(evening.table.table)
    assert (plan.outcome, plan.wait_seconds) == ("windows", 7)
    assert set(eliminated(evening)) == set(out)


def test_who_buys_in_time_gets_the_seat_back_with_one_starting_stack() -> None:
    evening = after_a_bust(rebuy={"max": 1})
    entrant = busted(evening)[0]
    seat = next(w.seat for w in running(evening).windows if w.entrant == entrant)
    before = chips(evening)
    evening.ask(DeclareRebuy(entrant=entrant, now=evening.now))
    place = evening.table.place_of(entrant)
    assert place is not None
    assert (place.seat, place.stack) == (seat, 10)
    assert chips(evening) == before + 10
    bought = evening.history[-1]
    assert isinstance(bought, events.ChipsBought)
    assert (bought.cause, bought.rule) == ("rebuy", "rebuy")
    assert commands_of((bought,))[0].chips == 10
    assert entrant in running(evening).remaining()
    for other in busted(evening)[1:]:
        evening.ask(DeclareRebuy(entrant=other, now=evening.now))
    evening.next_hand(evening.table.table)
    opened = evening.happened(events.HandOpened)[-1]
    assert entrant in [books.entrant for books in opened.seats if books.dealt]


def test_a_rebuy_declared_before_the_bust_is_owed_and_comes_by_itself() -> None:
    evening = Evening(2, rules(rebuy={"max": 1}))
    evening.play_as = all_in
    table = evening.table.table
    entrants = [place.entrant for place in evening.table.places]
    for entrant in entrants:
        evening.ask(DeclareRebuy(entrant=entrant, now=evening.now))
        assert evening.ask(DeclareRebuy(entrant=entrant, now=evening.now)) == ()
    evening.next_hand(table)
    opened = evening.happened(events.HandOpened)[-1]
    assert all(books.rebuy_declared for books in opened.seats)
    while not busted(evening):
        evening.play_hand(table)
        if not busted(evening):
            evening.next_hand(table)
    (out,) = busted(evening)
    taken = [event for event in evening.events if isinstance(event, RebuyTaken)]
    assert [(event.entrant, event.rule) for event in taken] == [(out, "rebuy.declared")]
    assert {place.entrant for place in evening.table.places} == set(entrants)
    assert eliminated(evening) == []


def test_nobody_buys_more_often_than_the_host_allows() -> None:
    evening = after_a_bust(players=2, rebuy={"max": 1})
    (entrant,) = busted(evening)
    evening.ask(DeclareRebuy(entrant=entrant, now=evening.now))
    with pytest.raises(RebuyNotAllowed) as refused:
        evening.ask(DeclareRebuy(entrant=entrant, now=evening.now))
    assert (refused.value.facts["reason"], refused.value.rule) == ("no_rebuy_left", "rebuy")


def test_a_rebuy_that_two_people_ask_for_is_bought_once() -> None:
    """The player and a director press in the same window."""
    evening = after_a_bust(rebuy={"max": 2})
    entrant = busted(evening)[0]
    asked = DeclareRebuy(entrant=entrant, number=1, now=evening.now)
    evening.ask(asked)
    with pytest.raises(RebuyNotAllowed) as refused:
        evening.ask(asked)
    assert refused.value.facts["reason"] == "not_the_next"
    assert running(evening).declared == ()
    evening.ask(DeclareRebuy(entrant=entrant, number=2, now=evening.now))
    assert running(evening).declared == (entrant,)


def test_rebuys_end_with_their_level() -> None:
    levels = [{"small": 1, "big": 2, "length": 1}, {"small": 2, "big": 4}]
    options = {
        "escalation": {"kind": "levels", "by": "hands", "levels": levels},
        "rebuy": {"max": None, "until_level": 1},
    }
    assert eliminated(after_a_bust(**options)) == []
    late = after_a_bust(quiet=1, **options)
    assert late.table.level_number == 2
    assert set(eliminated(late)) == set(busted(late))


def test_a_rebuy_is_not_declared_once_its_last_level_is_over() -> None:
    """The entrant would owe a rebuy that can never come."""
    levels = [{"small": 1, "big": 2, "length": 1}, {"small": 2, "big": 4}]
    evening = Evening(
        3,
        rules(
            escalation={"kind": "levels", "by": "hands", "levels": levels},
            rebuy={"max": None, "until_level": 1},
        ),
    )
    first, second, _ = (place.entrant for place in evening.table.places)
    table = evening.table.table

    def declared(entrant: EntrantId) -> tuple[Any, ...]:
        level = level_played(evening.table, None)
        return evening.ask(DeclareRebuy(entrant=entrant, level=level, now=evening.now))

    assert len(declared(first)) == 1
    evening.next_hand(table)
    evening.play_as = folding
    # The hand in play is of the first level, and the next one is not.
    assert len(declared(second)) == 1
    evening.play_hand(table)
    with pytest.raises(RebuyNotAllowed, match="level_over"):
        declared(running(evening).remaining()[2])


def test_the_last_two_do_not_finish_while_one_may_come_back() -> None:
    evening = after_a_bust(players=2, rebuy={"max": 1})
    assert isinstance(evening.tournament, Running)
    evening.next_hand(evening.table.table)
    assert isinstance(evening.tournament, Finished)
    assert [each.place for each in evening.tournament.placings] == [1, 2]


def test_of_two_whose_windows_close_together_the_larger_stack_places_higher() -> None:
    evening = Evening(3, rules(rebuy={"max": 1}))
    table, state = evening.table, running(evening)
    first, second, third = (place.entrant for place in table.places)
    seats = {place.entrant: Seat(place.seat) for place in table.places}
    busts = tuple(
        Busted(entrant=entrant, seat=seats[entrant], stack_at_start=stack)
        for entrant, stack in ((first, 8), (second, 12))
    )
    evening.ask(RecordBusts(table=table.table, hand_number=1, busts=busts, now=evening.now))
    assert [window.entrant for window in running(evening).windows] == [first, second]
    assert len(state.remaining()) == 3
    evening.ask(CloseWindows(table=table.table, now=evening.now))
    assert isinstance(evening.tournament, Finished)
    places = {each.entrant: each.place for each in evening.tournament.placings}
    assert places == {third: 1, second: 2, first: 3}


def test_a_bust_without_a_rebuy_left_places_behind_one_whose_window_is_open() -> None:
    evening = Evening(3, rules(rebuy={"max": 1}))
    table = evening.table
    first, second, third = (place.entrant for place in table.places)
    seats = {place.entrant: Seat(place.seat) for place in table.places}

    def go_broke(hand: int, stacks: dict[EntrantId, int]) -> None:
        busts = tuple(
            Busted(entrant=entrant, seat=seats[entrant], stack_at_start=stack)
            for entrant, stack in stacks.items()
        )
        evening.ask(RecordBusts(table=table.table, hand_number=hand, busts=busts, now=evening.now))

    go_broke(1, {first: 10})
    evening.ask(DeclareRebuy(entrant=first, now=evening.now))
    go_broke(2, {first: 12, second: 8})
    assert eliminated(evening) == [first]
    evening.ask(CloseWindows(table=table.table, now=evening.now))
    assert isinstance(evening.tournament, Finished)
    places = {each.entrant: each.place for each in evening.tournament.placings}
    assert places == {third: 1, second: 2, first: 3}


def test_a_tournament_with_rebuys_is_played_to_its_end() -> None:
    evening = Evening(4, rules(rebuy={"max": 2}))
    evening.play_as = all_in
    bought = 0
    while not isinstance(evening.tournament, Finished):
        for window in running(evening).windows:
            if may_still(evening, window.entrant):
                evening.ask(DeclareRebuy(entrant=window.entrant, now=evening.now))
                bought += 1
        evening.next_hand(evening.table.table)
        evening.play_hand(evening.table.table)
    assert bought
    assert chips(evening) == 10 * (4 + bought)
    finished = evening.events[-1]
    assert isinstance(finished, TournamentFinished)
    assert len(finished.placings) == 4


def may_still(evening: Evening, entrant: EntrantId) -> bool:
    return running(evening).rebuys.count(entrant) < 2


STAKES = {"special_item": True, "item_values": [20, 50]}


def staked(**overrides: Any) -> tuple[Evening, EntrantId]:
    """Return a game in which a broke entrant has staked a lightsaber worth 20."""
    evening = after_a_bust(players=3, **{**STAKES, **overrides})
    entrant = busted(evening)[0]
    evening.ask(StakeItem(entrant=entrant, item="lightsaber", value=20, now=evening.now))
    return evening, entrant


def test_who_is_broke_may_stake_a_thing_and_its_value_is_the_only_money() -> None:
    evening, entrant = staked()
    place = evening.table.place_of(entrant)
    assert place is not None
    assert place.stack == 20
    assert evening.history[-1].rule == "items.stake"
    evening.next_hand(evening.table.table)
    if evening.table.hand is None:
        evening.next_hand(evening.table.table)
    opened = evening.happened(events.HandOpened)[-1]
    assert opened.escrow == 20


def test_a_thing_is_staked_once_and_only_when_broke_and_at_an_agreed_value() -> None:
    evening = after_a_bust(players=3, **STAKES)
    entrant = busted(evening)[0]
    other = next(iter(running(evening).remaining()))
    with pytest.raises(ItemValueUnknown):
        evening.ask(StakeItem(entrant=entrant, item="ship", value=30, now=evening.now))
    with pytest.raises(RebuyNotAllowed):
        evening.ask(StakeItem(entrant=other, item="ship", value=50, now=evening.now))
    evening.ask(StakeItem(entrant=entrant, item="ship", value=50, now=evening.now))
    with pytest.raises(RebuyNotAllowed):
        evening.ask(StakeItem(entrant=entrant, item="hat", value=20, now=evening.now))
    with pytest.raises(RulesetInvalid):
        rules(special_item=True, item_values=[])


def test_a_staked_thing_may_be_bought_back_between_hands() -> None:
    evening, entrant = staked(item_values=[20])
    with pytest.raises(at_tables.StackTooSmall):
        evening.ask(BuyBackItem(entrant=entrant, now=evening.now))
    evening = until(
        lambda one, who: stack_of(one, who) > 20 and isinstance(one.tournament, Running),
        item_values=[20],
    )
    entrant = busted(evening)[0]
    before, stack = chips(evening), stack_of(evening, entrant)
    evening.ask(BuyBackItem(entrant=entrant, now=evening.now))
    assert stack_of(evening, entrant) == stack - 20
    assert chips(evening) == before - 20
    with pytest.raises(ItemNotStaked):
        evening.ask(BuyBackItem(entrant=entrant, now=evening.now))


def stack_of(evening: Evening, entrant: EntrantId) -> int:
    place = evening.table.place_of(entrant)
    return 0 if place is None else place.stack


def until(so: Callable[[Evening, EntrantId], bool], **overrides: Any) -> Evening:
    """Return a game in which *so* holds for the entrant who staked an item."""
    for stack in range(10, 90):
        evening, entrant = staked(starting_stack=stack, **overrides)
        for _ in range(10):
            if so(evening, entrant):
                return evening
            if isinstance(evening.tournament, Finished):
                break
            evening.next_hand(evening.table.table)
            evening.play_hand(evening.table.table)
    raise AssertionError("no game comes to this")


def test_a_staked_thing_passes_to_the_winner_of_the_main_pot_when_its_owner_busts() -> None:
    evening = until(lambda one, _: any(isinstance(event, ItemPassed) for event in one.events))
    entrant = busted(evening)[0]
    passed = next(event for event in evening.events if isinstance(event, ItemPassed))
    assert (passed.giver, passed.item, passed.rule) == (entrant, "lightsaber", "items.passed")
    settled = [event for event in evening.history if isinstance(event, events.HandSettled)][-1]
    main = next(part.entrant for part in settled.stacks if part.seat == settled.winners[0])
    assert passed.taker == main
