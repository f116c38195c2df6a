"""A casino: own chips, players who come and go between hands, and no end except its closing."""

from typing import Any

import pytest

from engine.coordination.purchases import carry_at_closing
from engine.coordination.season_points import points_of
from engine.rulesets import preset, resolve
from engine.rulesets.errors import RulesetInvalid
from engine.table.decide.quitting import carry_shares
from engine.table.model import events
from engine.table.model.commands import ComeBack, ImposePenalty, StepAway, VoidDeal
from engine.table.read.recall import commands_of
from engine.tournament.model.commands import AddOn, CloseEarly, DeclareRebuy, Leave, Register
from engine.tournament.model.errors import (
    AlreadyEntered,
    NotACasino,
    RebuyNotAllowed,
    TournamentFull,
)
from engine.tournament.model.events import EntrantCashedOut, EntrantEliminated, TournamentFinished
from engine.tournament.model.events.money import EntrantKnockedOut
from engine.tournament.model.state import Finished, Running
from engine.tournament.model.values import Standing
from engine.values import EntrantId
from tests.engine.coordination.evening import Evening, folding, passive
from tests.engine.table.hands import Company, bare, of
from tests.engine.tournament.floor import entrant, player
from tests.engine.tournament.test_rebuys import all_in

CASINO = resolve("casino", {"first_dealer": "host_choice"})


def casino(players: int = 3, **terms: Any) -> Evening:
    evening = Evening(players, CASINO, **{"starting_stack": 100, **terms})
    evening.play_as = folding
    return evening


def hand(evening: Evening) -> None:
    """Play one hand, and the steps that come before it."""
    table = evening.table.table
    while evening.table.hand is None:
        evening.next_hand(table)
    evening.play_hand(table)


def sit_down(evening: Evening, number: int, *, as_entrant: int | None = None) -> EntrantId:
    who = entrant(as_entrant or number)
    evening.ask(Register(entrant=who, player=player(number), now=evening.now))
    return who


def entry_of(evening: Evening, who: EntrantId) -> str:
    return next(each.player for each in running(evening).entrants if each.entrant == who)


def running(evening: Evening) -> Running:
    assert isinstance(evening.tournament, Running)
    return evening.tournament


def test_there_are_no_blinds_and_both_streets_begin_left_of_the_dealer() -> None:
    evening = casino()
    evening.next_hand(evening.table.table)
    opened = of(evening.history, events.HandOpened)
    assert (opened.small_blind, opened.big_blind) == (None, None)
    assert not evening.happened(events.ForcedBetsPosted)
    assert preset("casino").first_actor == ("left_of_button", "left_of_button")


def test_levels_never_rise_and_nobody_is_eliminated() -> None:
    evening = casino(2)
    for _ in range(8):
        hand(evening)
    assert {event.level.number for event in evening.happened(events.HandOpened)} == {1}
    assert not [event for event in evening.events if isinstance(event, EntrantEliminated)]


def test_a_newcomer_gets_the_lowest_free_seat_before_the_next_hand() -> None:
    evening = casino()
    evening.next_hand(evening.table.table)
    newcomer = sit_down(evening, 9)
    assert evening.table.place_of(newcomer) is None
    evening.play_hand(evening.table.table)
    hand(evening)
    place = evening.table.place_of(newcomer)
    assert place is not None
    assert place.seat == 4
    opened = evening.happened(events.HandOpened)[-1]
    assert [books.stack for books in opened.seats if books.entrant == newcomer] == [100]


def test_a_full_casino_takes_nobody_and_nobody_twice() -> None:
    evening = casino(3, table_seats=4)
    with pytest.raises(AlreadyEntered):
        sit_down(evening, 1, as_entrant=11)
    sit_down(evening, 9)
    with pytest.raises(TournamentFull):
        sit_down(evening, 10)


def test_chips_are_brought_between_hands_and_stacks_may_differ() -> None:
    evening = casino()
    who = evening.table.places[0].entrant
    evening.next_hand(evening.table.table)
    evening.ask(AddOn(entrant=who, chips=250, now=evening.now))
    before = evening.table.chips()
    evening.play_hand(evening.table.table)
    evening.next_hand(evening.table.table)
    assert evening.table.chips() == before + 250
    bought = evening.happened(events.ChipsBought)[-1]
    assert (bought.cause, bought.rule) == ("add_on", "casino.add_on")
    with pytest.raises(RebuyNotAllowed):
        evening.ask(AddOn(entrant=who, chips=3, now=evening.now))


def test_who_leaves_takes_the_chips_away_and_may_come_again() -> None:
    evening = casino()
    who = evening.table.places[1].entrant
    evening.ask(Leave(entrant=who, now=evening.now))
    assert evening.ask(Leave(entrant=who, now=evening.now)) == ()
    evening.next_hand(evening.table.table)
    assert evening.table.place_of(who) is None
    (out,) = [event for event in evening.events if isinstance(event, EntrantCashedOut)]
    assert (out.entrant, out.stack, out.rule) == (who, 100, "casino.cash_out")
    number = next(each for each in range(1, 4) if player(each) == entry_of(evening, who))
    again = sit_down(evening, number, as_entrant=12)
    hand(evening)
    assert evening.table.place_of(again) is not None


def test_who_leaves_does_not_come_back_for_chips_that_were_promised() -> None:
    evening = casino()
    who = evening.table.places[1].entrant
    evening.ask(AddOn(entrant=who, chips=50, now=evening.now))
    evening.ask(Leave(entrant=who, now=evening.now))
    hand(evening)
    assert evening.table.place_of(who) is None
    (out,) = [event for event in evening.events if isinstance(event, EntrantCashedOut)]
    assert (out.entrant, out.stack) == (who, 100)
    assert evening.table.chips() == 200


def test_leaving_during_a_hand_is_a_fold_whosever_turn_it_is() -> None:
    for turn in (True, False):
        evening = casino()
        table = evening.table.table
        evening.play_as = passive
        evening.next_hand(table)
        decision = evening.table.decision
        assert decision is not None
        for seat in decision.seats:
            who = evening.table.at(seat).entrant
            evening.at_table(table, evening.table, evening._answer(table, who))
        decision = evening.table.decision
        assert decision is not None
        assert decision.phase == "bet"
        mine = decision.seats[0]
        seats = [place.seat for place in evening.table.live()]
        leaver = mine if turn else next(seat for seat in seats if seat != mine)
        who = evening.table.at(leaver).entrant
        evening.ask(Leave(entrant=who, now=evening.now))
        quit_ = evening.happened(events.HandQuit)[-1]
        assert (quit_.seat, quit_.rule) == (leaver, "casino.leave")
        assert commands_of((quit_,))[0].entrant == who
        after = evening.table.decision
        assert after is not None
        assert leaver not in after.seats
        assert (after.token != decision.token) == turn
        evening.play_hand(table)
        winners = evening.happened(events.HandSettled)[-1].winners
        assert leaver not in winners


def test_a_hand_that_all_but_one_leave_goes_to_that_one() -> None:
    evening = casino(2)
    table = evening.table.table
    evening.next_hand(table)
    who = evening.table.places[0].entrant
    evening.ask(Leave(entrant=who, now=evening.now))
    settled = evening.happened(events.HandSettled)[-1]
    assert settled.ending == "folds"
    assert evening.table.idle


def test_who_is_broke_buys_again_as_often_as_wanted_or_leaves_with_nothing() -> None:
    evening = casino(2, starting_stack=10)
    evening.play_as = all_in
    for _ in range(3):
        while not running(evening).windows:
            hand(evening)
        (window,) = running(evening).windows
        evening.ask(DeclareRebuy(entrant=window.entrant, now=evening.now))
    while not running(evening).windows:
        hand(evening)
    (window,) = running(evening).windows
    evening.next_hand(evening.table.table)
    out = [event for event in evening.events if isinstance(event, EntrantCashedOut)]
    assert [(event.entrant, event.stack) for event in out] == [(window.entrant, 0)]
    assert isinstance(evening.tournament, Running)


def test_closing_pays_everyone_and_ranks_by_what_was_taken_away() -> None:
    evening = casino(3)
    early = evening.table.places[0].entrant
    late = evening.table.places[1].entrant
    evening.ask(AddOn(entrant=late, chips=50, now=evening.now))
    evening.next_hand(evening.table.table)
    evening.ask(Leave(entrant=early, now=evening.now))
    evening.next_hand(evening.table.table)
    evening.ask(CloseEarly(now=evening.now))
    assert evening.ask(CloseEarly(now=evening.now)) == ()
    while not isinstance(evening.tournament, Finished):
        evening.next_hand(evening.table.table)
    finished = evening.events[-1]
    assert isinstance(finished, TournamentFinished)
    assert finished.rule == "finish.closed"
    places = {each.entrant: (each.place, each.shared) for each in finished.placings}
    assert places[late] == (1, 1)
    assert places[early] == (2, 2)


def test_a_casino_may_be_announced_for_a_number_of_hands() -> None:
    evening = casino(3, hands_max=2)
    evening.play()
    assert len(evening.happened(events.HandOpened)) == 2
    finished = evening.events[-1]
    assert isinstance(finished, TournamentFinished)
    assert finished.rule == "finish.hands_max"


def test_a_casino_that_all_leave_with_its_last_hand_ends_all_the_same() -> None:
    evening = casino(2, hands_max=1)
    evening.next_hand(evening.table.table)
    for place in evening.table.places:
        evening.ask(Leave(entrant=place.entrant, now=evening.now))
    evening.play()
    finished = evening.events[-1]
    assert isinstance(finished, TournamentFinished)
    assert finished.rule == "finish.hands_max"
    assert [each.stack for each in evening.events if isinstance(each, EntrantCashedOut)] == [
        100
    ] * 2
    assert [(each.place, each.shared) for each in finished.placings] == [(1, 2), (1, 2)]


def test_nobody_is_knocked_out_of_a_casino() -> None:
    evening = casino(2, starting_stack=10)
    evening.play_as = all_in
    while not running(evening).windows:
        hand(evening)
    evening.next_hand(evening.table.table)
    evening.ask(CloseEarly(now=evening.now))
    evening.play()
    assert any(isinstance(each, EntrantKnockedOut) for each in evening.events)
    assert isinstance(evening.tournament, Finished)
    told = points_of(evening.tournament, now=evening.now)
    assert [each.knockouts for each in told.placings] == [0, 0]


def test_a_carry_at_closing_goes_to_the_winners_of_the_last_main_pot() -> None:
    company = Company(bare(), {"A": 100, "B": 100, "D": 100}, "AB")
    company.deal()
    company.bets("A 5", "B call", "D call")
    company.improve()
    company.bets("A 5", "B call", "D fold")
    assert company.carry == 1
    table = company.floor.table
    assert carry_shares(table) == ((company.seats["A"], 1),)
    stacks = tuple(Standing(entrant=p.entrant, stack=p.stack) for p in table.places)
    asked, after = carry_at_closing([table], stacks, now=company.floor.now)
    command = asked[table.table]
    (awarded,) = company.floor.do(command)
    assert isinstance(awarded, events.CarryAwarded)
    assert commands_of((awarded,)) == (command,)
    assert awarded.rule == "casino.carry"
    assert company.carry == 0
    assert {each.entrant: each.stack for each in after} == {
        place.entrant: place.stack for place in company.floor.table.places
    }


def test_tournaments_have_no_comers_and_goers() -> None:
    evening = Evening(3, preset("better_simple"))
    who = evening.table.places[0].entrant
    for command in (
        Leave(entrant=who, now=evening.now),
        AddOn(entrant=who, chips=5, now=evening.now),
    ):
        with pytest.raises(NotACasino):
            evening.ask(command)
    for overrides in ({"score": "cash_out"}, {"end": {"kind": "open"}}):
        with pytest.raises(RulesetInvalid):
            resolve("better", overrides)


def test_who_left_during_a_voided_deal_is_out_of_the_next() -> None:
    """A player who has come meanwhile waits for the next hand, so the players stay the same."""
    evening = casino(3)
    table = evening.table.table
    evening.next_hand(table)
    leaver = evening.table.places[2].entrant
    evening.ask(Leave(entrant=leaver, now=evening.now))
    newcomer = sit_down(evening, 9)
    void = VoidDeal(cause="mis_deal", reason="card_shown", now=evening.now)
    evening.at_table(table, evening.table, void)

    plan = evening.next_hand(table)

    assert plan.outcome == "open" and evening.plan(table).outcome == "nothing"
    first, anew = evening.happened(events.HandOpened)
    assert (anew.deal, anew.hand, anew.seats) == (2, first.hand, first.seats)
    assert [each.entrant for each in evening.happened(events.HandQuit)] == [leaver, leaver]
    assert len(evening.table.live()) == 2
    evening.play_hand(table)
    hand(evening)
    seated = {place.entrant for place in evening.table.places}
    assert newcomer in seated and leaver not in seated


def all_step_away(evening: Evening) -> None:
    evening.at_table(
        evening.table.table,
        evening.table,
        *(StepAway(entrant=place.entrant) for place in evening.table.places),
    )


def test_a_casino_waits_while_everybody_is_away() -> None:
    evening = casino()
    hand(evening)
    all_step_away(evening)
    table, first, second, _ = (evening.table.table, *(p.entrant for p in evening.table.places))
    for outcome in ("hold", "nothing", "nothing"):  # the wait is recorded once
        assert evening.next_hand(table).outcome == outcome
    assert [each.reason for each in evening.happened(events.TableWaiting)] == ["players_away"]
    assert len(evening.happened(events.HandOpened)) == 1
    evening.at_table(table, evening.table, ComeBack(entrant=first))
    assert evening.next_hand(table).outcome == "nothing", "alone, with no bets to win"
    evening.at_table(table, evening.table, ComeBack(entrant=second))
    assert evening.next_hand(table).outcome == "open"
    evening.at_table(table, evening.table, StepAway(entrant=second))
    evening.play_hand(table)
    evening.at_table(table, evening.table, StepAway(entrant=second))
    assert evening.next_hand(table).outcome == "hold"
    evening.ask(Leave(entrant=second, now=evening.now))
    assert evening.next_hand(table).outcome == "rearrange"
    assert evening.next_hand(table).outcome == "nothing"
    newcomer = sit_down(evening, 9)
    evening.next_hand(table)
    assert evening.table.place_of(newcomer) is not None
    assert evening.next_hand(table).outcome == "open"
    evening.play_hand(table)
    evening.at_table(table, evening.table, StepAway(entrant=newcomer))
    evening.ask(CloseEarly(now=evening.now))
    assert evening.next_hand(table).outcome == "finish"


def test_a_penalty_is_served_though_all_but_one_are_away() -> None:
    evening = casino()
    table, (first, _, *others) = evening.table.table, evening.table.places
    penalty = ImposePenalty(entrant=first.entrant, hands=2, rule="penalty.hands", now=evening.now)
    away = (StepAway(entrant=place.entrant) for place in others)
    evening.at_table(table, evening.table, penalty, *away)
    for _ in range(2):
        assert evening.next_hand(table).outcome == "open"
        assert evening.table.hand is None, "over at once: all but one were killed"
    assert evening.table.at(first.seat).penalty == 0
    assert evening.next_hand(table).outcome == "open"


def test_a_game_that_ends_goes_on_while_everybody_is_away() -> None:
    counted = casino(hands_max=3)
    all_step_away(counted)
    counted.play()
    assert len(counted.happened(events.HandOpened)) == 3
    for name in ("better", "cantina", "official", "spike"):
        other = Evening(3, resolve(name, {}))
        for table in other.tables:
            away = (StepAway(entrant=place.entrant) for place in other.tables[table].places)
            other.at_table(table, other.tables[table], *away)
        other.play()


def test_a_second_lies_between_two_hands_that_nobody_plays() -> None:
    """Without it, a table would deal thousands of hands before the clock raises a level."""
    evening = Evening(3, preset("better_simple"), hands_between_seconds=0)
    table = evening.table.table
    assert evening.next_hand(table).outcome == "open"
    evening.play_hand(table)
    assert evening.plan(table).wait_seconds == 0
    all_step_away(evening)
    assert evening.plan(table).wait_seconds == 1


@pytest.mark.parametrize("hands", [0, 2])
def test_without_escalation_or_at_the_last_level_a_game_waits_for_somebody(hands: int) -> None:
    blinds = {"small": 1, "big": 2, "ante": 0}
    levels = [{**blinds, "length": hands}, {**blinds, "big": 4, "length": None}]
    steps = {"kind": "levels", "by": "hands", "levels": levels}
    none = {"kind": "none"}
    evening = Evening(
        3, resolve("better_simple", {"escalation": steps if hands else none}), starting_stack=100
    )
    all_step_away(evening)
    table = evening.table.table
    # The last level has to be reached, which means that one hand was opened at it.
    for _ in range(hands + 1 if hands else 0):
        assert evening.next_hand(table).outcome == "open"
    assert evening.next_hand(table).outcome == "hold"
    evening.at_table(table, evening.table, ComeBack(entrant=evening.table.places[0].entrant))
    assert evening.next_hand(table).outcome == "open"
