"""Ends of games: by everyone's deal, by too few stacks, by a number of hands, and with ties."""

from typing import Any

import pytest
from msgspec.structs import replace

from engine.coordination.policies import busts_of, summary_of
from engine.rulesets import preset, resolve
from engine.rulesets.errors import RulesetInvalid
from engine.table.model import commands, errors, events
from engine.table.model.commands import Arrival
from engine.table.read.view_parts import TableView
from engine.tournament.model.commands import CloseEarly
from engine.tournament.model.directives import Break, Finish, Hold, Open
from engine.tournament.model.errors import TermsInvalid
from engine.tournament.model.events import TournamentFinished
from engine.tournament.model.state import Finished, Running
from engine.tournament.model.values import Standing
from engine.tournament.results.endings import settled_by_a_hand
from engine.values import TableId
from tests.engine.coordination.evening import Evening, cards_of, folding, passive
from tests.engine.table.tables import Floor, entrant
from tests.engine.tournament.floor import announce


def dealers(evening: Evening) -> list[int]:
    return [event.button for event in evening.happened(events.HandOpened)]


@pytest.mark.parametrize("name", ["official", "halcyon_10", "halcyon_100", "holo"])
def test_when_everyone_has_dealt_once_the_game_is_over(name: str) -> None:
    evening = Evening(4, resolve(name, {"final_tie": "shared"}))
    evening.play_as = folding
    evening.play()
    assert sorted(dealers(evening)) == [1, 2, 3, 4]
    assert [event.last for event in evening.happened(events.HandOpened)] == [False] * 3 + [True]
    finished = evening.events[-1]
    assert isinstance(finished, TournamentFinished)
    assert finished.rule == "finish.each_dealt_once"


def test_the_official_game_is_won_by_rounds_and_nobody_is_ever_all_in_or_out() -> None:
    evening = Evening(3, preset("official"))
    evening.play()
    assert not evening.happened(events.ForcedBetsPosted)
    assert not any(event.all_in for event in evening.happened(events.SeatActed))
    assert not any(event.busts for event in evening.happened(events.HandSettled))
    won = {place.entrant: place.hands_won for place in evening.table.places}
    assert sum(won.values()) == 3
    finished = evening.events[-1]
    assert isinstance(finished, TournamentFinished)
    ranked = sorted(finished.placings, key=lambda each: each.place)
    assert [won[each.entrant] for each in ranked] == sorted(won.values(), reverse=True)


def test_an_official_game_with_chips_or_without_an_end_is_refused() -> None:
    for overrides in (
        {"end": {"kind": "last_standing"}},
        {"forced": {"kind": "ante", "amount": 1}},
        {"betting": {"kind": "fixed_continue", "cost": 1}},
    ):
        with pytest.raises(RulesetInvalid):
            resolve("official", overrides)
    with pytest.raises(TermsInvalid):
        Evening(2, preset("official"), starting_stack=100)
    with pytest.raises(TermsInvalid):
        Evening(2, preset("better"), starting_stack=0)
    assert announce().starting_stack == 1000


def test_a_busted_seat_is_skipped_as_dealer_and_the_game_ends_earlier() -> None:
    ruleset = resolve("halcyon_10", {"first_dealer": "host_choice", "final_tie": "shared"})
    floor = Floor(ruleset, (10, 1, 10))
    floor.target = (0, "circle")
    floor.script = {
        (1, "hand"): ("C+01", "C-01", "T+01", "T-01", "Z1"),
        (2, "hand"): ("S+10", "S+09", "S+08", "S+07", "S+06"),
        (3, "hand"): ("C+02", "S-02", "T+02", "T-02", "Z2"),
    }
    opened = floor.open_hand()[0]
    assert isinstance(opened, events.HandOpened)
    assert (opened.button, opened.dealers_left) == (1, (2, 3))
    # The second seat has its last chip in the pot. It may win the pot and deal.
    assert (floor.stacks()[2], summary_of(floor.table).dealers_left) == (0, 2)
    for seat in (2, 3, 1):
        me = floor.view(seat).me
        assert me is not None
        floor.select(seat, *me.cards)
    floor.act(3, "stay")
    floor.act(1, "stay")
    for seat in (2, 3, 1):
        floor.improve(seat)
    floor.act(3, "stay")
    floor.act(1, "stay")
    assert 2 not in floor.stacks()
    assert summary_of(floor.table).dealers_left == 1
    # A rebuy would bring the second seat back to deal.
    told = busts_of(floor.table, floor.events)
    assert told is not None and told.to_deal == (entrant(2), entrant(3))
    opened = floor.open_hand()[0]
    assert isinstance(opened, events.HandOpened)
    assert (opened.button, opened.dealers_left) == (3, ())


def test_a_late_seat_never_deals_and_adds_no_hand() -> None:
    ruleset = resolve("halcyon_10", {"first_dealer": "host_choice"})
    floor = Floor(ruleset, (10, 10), seats=(1, 4))
    floor.open_hand()
    fold_to_one(floor)
    arrival = Arrival(seat=2, entrant=entrant(2), stack=10)
    floor.do(commands.SeatArrivals(arrivals=(arrival,), now=floor.now))
    opened = floor.open_hand()[0]
    assert isinstance(opened, events.HandOpened)
    assert (opened.button, opened.dealers_left) == (4, ())
    assert [books.seat for books in opened.seats if books.dealt] == [1, 2, 4]


def test_who_takes_the_seat_of_one_who_never_dealt_does_not_deal_for_them() -> None:
    ruleset = resolve("halcyon_10", {"first_dealer": "host_choice"})
    floor = Floor(ruleset, (10, 10, 10))
    floor.open_hand()
    fold_to_one(floor)
    floor.do(commands.VacateSeats(departures=(entrant(2),), now=floor.now))
    arrival = Arrival(seat=2, entrant=entrant(7), stack=10)
    floor.do(commands.SeatArrivals(arrivals=(arrival,), now=floor.now))
    opened = floor.open_hand()[0]
    assert isinstance(opened, events.HandOpened)
    assert (opened.button, opened.dealers_left) == (3, ())
    assert [books.seat for books in opened.seats if books.dealt] == [1, 2, 3]


def fold_to_one(floor: Floor) -> None:
    decision = floor.table.decision
    assert decision is not None
    for seat in decision.seats:
        floor.select(seat)
    while floor.table.decision is not None:
        floor.act(floor.table.decision.seats[0], "fold")


def test_who_cannot_pay_the_ante_of_a_hundred_is_not_dealt_in_and_keeps_the_chips() -> None:
    ruleset = resolve("halcyon_100", {"first_dealer": "host_choice"})
    floor = Floor(ruleset, (100, 4, 100))
    opened = floor.open_hand()[0]
    assert isinstance(opened, events.HandOpened)
    assert [books.seat for books in opened.seats if books.dealt] == [1, 3]
    assert (opened.button, opened.dealers_left) == (1, (3,))
    fold_to_one(floor)
    assert floor.stacks()[2] == 4
    assert not any(place.hand for place in floor.table.places)


def test_the_game_ends_early_when_one_player_at_most_can_be_dealt_in() -> None:
    end = {"kind": "hands_or_last", "hands": 5}
    evening = Evening(2, resolve("halcyon_100", {"end": end}), starting_stack=12)
    plans = evening.play()
    assert len(dealers(evening)) == 1
    last = [plan.directive for plan in plans if isinstance(plan.directive, Finish)]
    assert [directive.rule for directive in last] == ["finish.too_few_stacks"]
    assert isinstance(evening.tournament, Finished)
    assert [each.place for each in evening.tournament.placings] == [1, 2]


def test_a_scheduled_number_of_hands_ends_the_cantina() -> None:
    ruleset = resolve("cantina", {"end": {"kind": "hands_or_last", "hands": 3}})
    evening = Evening(3, ruleset)
    evening.play()
    assert len(dealers(evening)) == 3
    finished = evening.events[-1]
    assert isinstance(finished, TournamentFinished)
    assert finished.rule == "finish.hands_max"


def leader(best: int) -> object:
    """Return players who fold, except that the given seats win one pot each."""

    def play(view: TableView) -> tuple[str, object]:
        if (chosen := cards_of(view)) is not None:
            return chosen
        assert view.me is not None
        wins = view.me.seat == best[view.hand_number - 1]  # type: ignore[index]
        return ("stay" if wins else "fold"), None

    return play


def winners_are(*seats: int) -> object:
    return leader(seats)  # type: ignore[arg-type]


def test_tied_for_the_first_place_they_play_one_more_hand_among_themselves() -> None:
    ruleset = resolve("halcyon_10", {"first_dealer": "host_choice"})
    evening = Evening(3, ruleset)
    # Seats 1 and 2 win a pot each. Seat 3 wins the pot of the third hand, and all are equal.
    evening.play_as = winners_are(1, 2, 3, 2)  # type: ignore[assignment]
    plans = evening.play()
    opened = [plan.directive for plan in plans if isinstance(plan.directive, Open)]
    assert [len(each.only) for each in opened] == [0, 0, 0, 3]
    hands = evening.happened(events.HandOpened)
    assert [hand.stage for hand in hands] == [1, 1, 1, 2]
    assert isinstance(evening.tournament, Finished)
    seat_two = next(books.entrant for books in hands[-1].seats if books.seat == 2)
    first = next(each for each in evening.tournament.placings if each.place == 1)
    assert (first.entrant, first.shared) == (seat_two, 1)


def test_more_pots_won_go_before_a_sudden_death_hand() -> None:
    evening = Evening(2, resolve("halcyon_10", {"first_dealer": "host_choice"}))
    evening.play_as = winners_are(1, 2, 1)  # type: ignore[assignment]
    plans = evening.play()
    assert [len(p.directive.only) for p in plans if isinstance(p.directive, Open)] == [0, 0, 2]
    ruleset = resolve("halcyon_10", {"first_dealer": "host_choice", "final_tie": "shared"})
    shared = Evening(2, ruleset)
    shared.play_as = winners_are(1, 2)  # type: ignore[assignment]
    shared.play()
    assert isinstance(shared.tournament, Finished)
    assert [(each.place, each.shared) for each in shared.tournament.placings] == [(1, 2), (1, 2)]


def test_who_could_go_out_by_it_plays_no_sudden_death_hand() -> None:
    evening = Evening(2, resolve("halcyon_10", {"first_dealer": "host_choice"}), starting_stack=3)
    evening.play_as = winners_are(1, 2)  # type: ignore[assignment]
    evening.play()
    assert [hand.stage for hand in evening.happened(events.HandOpened)] == [1, 1]
    assert isinstance(evening.tournament, Finished)
    assert [each.shared for each in evening.tournament.placings] == [2, 2]


@pytest.mark.parametrize(("stack", "played"), [(22, False), (23, True)])
def test_the_big_blind_counts_in_the_price_of_a_sudden_death_hand(stack: int, played: bool) -> None:
    """The price is twenty, and one on each street to stay. Nobody may bust by it."""
    blinds = {"kind": "blinds", "small": 10, "big": 20}
    ruleset = resolve("halcyon_10", {"starting_stack": 30, "forced": blinds})
    evening = Evening(2, ruleset, starting_stack=30)
    tied = tuple(Standing(entrant=each.entrant, stack=stack) for each in evening.table.places)
    tables = {evening.table.table: summary_of(evening.table)}
    assert isinstance(evening.tournament, Running)
    assert settled_by_a_hand(evening.tournament, tables, tied) == played


def test_a_sudden_death_hand_deals_in_only_the_tied() -> None:
    floor = Floor(resolve("halcyon_10", {"first_dealer": "host_choice"}), (10, 10, 10))
    happened = floor.open_hand(stage=2, only=(1, 3), last=True)
    opened = happened[0]
    assert isinstance(opened, events.HandOpened)
    assert [books.seat for books in opened.seats if books.dealt] == [1, 3]


def test_the_last_hand_carries_nothing_on() -> None:
    ruleset = resolve("better_simple", {"end": {"kind": "hands_or_last", "hands": 1}})
    evening = Evening(3, ruleset)
    evening.play_as = passive
    evening.play()
    assert evening.happened(events.HandOpened)[0].last
    assert all(not award.remainder for award in evening.happened(events.PotAwarded))
    assert evening.table.carry == 0


def test_a_host_may_end_the_game_early_and_most_chips_win() -> None:
    evening = Evening(5, preset("better_simple"), table_seats=3)
    evening.play_as = folding
    first, second = evening.tables
    evening.next_hand(first)
    evening.ask(CloseEarly(now=evening.now))
    assert evening.next_hand(second).outcome == "hold"
    evening.play_hand(first)
    assert evening.next_hand(second).outcome == "finish"
    finished = evening.events[-1]
    assert isinstance(finished, TournamentFinished)
    assert finished.rule == "finish.closed"
    stacks = {p.entrant: p.stack for table in evening.tables.values() for p in table.places}
    ranked = sorted(finished.placings, key=lambda each: each.place)
    assert [stacks[each.entrant] for each in ranked] == sorted(stacks.values(), reverse=True)


def test_a_table_takes_no_more_players_than_its_game() -> None:
    ruleset = resolve("better_simple", {"max_players": 3})
    floor = Floor(ruleset, (100, 100, 100))
    with pytest.raises(errors.TableFull) as refused:
        floor.do(
            commands.SeatArrivals(
                arrivals=(Arrival(seat=7, entrant=entrant(7), stack=100),), now=floor.now
            )
        )
    assert refused.value.facts == {"seats": 3}


def test_tables_that_all_wait_for_entrants_who_cannot_come_end_the_game() -> None:
    """One table has a single player. At the other table, a seat cannot pay the ante."""
    end = {"kind": "hands_or_last", "hands": 5}
    evening = Evening(3, resolve("halcyon_100", {"end": end}), starting_stack=12, table_seats=2)
    plans = evening.play()
    last = [plan.directive for plan in plans if isinstance(plan.directive, Finish)]
    assert [directive.rule for directive in last] == ["finish.too_few_stacks"]
    assert isinstance(evening.tournament, Finished)
    assert [each.place for each in evening.tournament.placings] == [1, 2, 3]


def bombing(view: TableView) -> tuple[str, Any]:
    """Put everything in, and draw until the hand may be called. Most hands go beyond 23."""
    for verb in ("call_hand", "draw", "raise_to"):
        for action in view.legal:
            if action.verb == verb:
                return verb, action.max if verb == "raise_to" else action.source
    return view.legal[1].verb, None


def checking(view: TableView) -> tuple[str, Any]:
    """Stand and check."""
    free = next(action for action in view.legal if action.verb in ("stand", "check"))
    return free.verb, None


def with_an_empty_table() -> tuple[Evening, TableId, TableId]:
    """
    Return two tables of two. A hand is in play at the first. At the second all have bombed out.
    """
    for stack in range(20, 60):
        evening = Evening(4, preset("traditional"), table_seats=2, starting_stack=stack)
        evening.play_as = bombing
        first, second = evening.tables
        evening.next_hand(first)
        evening.next_hand(second)
        evening.play_hand(second)
        if not evening.tables[second].places:
            evening.play_as = checking
            return evening, first, second
    raise AssertionError


def test_a_table_that_all_have_lost_waits_until_its_heir_is_between_hands() -> None:
    evening, first, second = with_an_empty_table()
    assert not evening.tables[first].idle
    plan = evening.next_hand(second)
    assert (plan.outcome, plan.directive) == ("hold", Hold(reason="breaking"))
    evening.play_hand(first)
    assert isinstance(evening.plan(first).directive, Break)


def test_what_an_empty_table_carries_goes_to_its_heir_and_is_gone_there() -> None:
    evening, first, second = with_an_empty_table()
    chips = evening.tables[first].chips(), evening.tables[second].chips()
    inherited = evening.tables[second].carry, evening.tables[second].sabacc_pot
    evening.play_hand(first)
    left = evening.tables[first].carry, evening.tables[first].sabacc_pot
    evening.next_hand(second)
    assert evening.tables[second].closed
    assert evening.tables[second].chips() == 0
    assert evening.tables[first].chips() == sum(chips)
    after = evening.tables[first].carry, evening.tables[first].sabacc_pot
    assert after == (left[0] + inherited[0], left[1] + inherited[1])


def test_at_the_end_every_table_gives_away_what_it_carries() -> None:
    evening = Evening(4, preset("better_simple"), table_seats=2)
    evening.play_as = folding
    for key in evening.tables:
        evening.next_hand(key)
        evening.play_hand(key)
    for key, table in evening.tables.items():
        places = tuple(replace(each, stack=each.stack - 1) for each in table.places)
        evening.tables[key] = replace(table, places=places, carry=2)
    evening.ask(CloseEarly(now=evening.now))
    first, second = evening.tables
    assert evening.next_hand(first).outcome == "finish"
    stacks = {p.entrant: p.stack for table in evening.tables.values() for p in table.places}
    assert sum(stacks.values()) == 400
    assert isinstance(evening.tournament, Finished)
    best = evening.tournament.placings[0].entrant
    assert stacks[best] == max(stacks.values())
    assert [evening.tables[key].carry for key in (first, second)] == [0, 0]


def test_who_is_the_last_gets_what_the_table_carries() -> None:
    evening = Evening(2, resolve("better_simple", {"first_dealer": "host_choice"}))
    evening.play_as = all_in
    evening.play()
    (winner,) = evening.table.places
    carrying = replace(evening.table, carry=3, places=(replace(winner, stack=197),))
    evening.tables[carrying.table] = carrying
    assert evening.next_hand(carrying.table).outcome == "close"
    assert (evening.table.closed, evening.table.carry) == (True, 0)
    assert [place.stack for place in evening.table.places] == [200]


def all_in(view: TableView) -> tuple[str, Any]:
    """Put everything in, or call it."""
    if (chosen := cards_of(view)) is not None:
        return chosen
    for action in view.legal:
        if action.verb == "raise_to":
            return "raise_to", action.max
    return view.legal[1].verb, None
