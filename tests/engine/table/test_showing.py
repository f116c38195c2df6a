"""A winner may show the hand after everybody else folded."""

import pytest

from engine.table.model import commands, errors, events
from engine.table.read.recall import commands_of
from tests.engine.table.hands import Company, bare
from tests.engine.table.tables import Floor, entrant
from tests.engine.table.test_table import fold_round


def won_by_folds() -> tuple[Floor, int]:
    """Return a table at which everybody folded, and the winning seat."""
    floor = Floor("better_simple", (100, 100, 100))
    fold_round(floor)
    last = floor.table.last_hand
    assert last is not None
    return floor, last.winners[0]


def shown(floor: Floor, seat: int) -> tuple[events.Event, ...]:
    last = floor.table.last_hand
    assert last is not None
    return floor.do(commands.ShowHand(entrant=entrant(seat), hand=last.hand, now=floor.now))


def test_a_winner_by_folds_may_show_the_hand_and_only_then_is_it_seen() -> None:
    floor, winner = won_by_folds()
    other = winner % 3 + 1
    before = floor.view(other).last_hand
    assert before is not None
    assert before.shown == ()
    assert [action.verb for action in floor.view(winner).legal] == ["show"]
    assert floor.view(other).legal == ()
    (event,) = shown(floor, winner)
    assert isinstance(event, events.HandShown)
    assert (event.seat, len(event.cards), event.rule) == (winner, 5, "showdown.show")
    after = floor.view(other).last_hand
    assert after is not None
    assert after.shown == tuple(card.card for card in event.cards)
    assert floor.view(winner).legal == ()
    assert shown(floor, winner) == ()
    assert isinstance(commands_of((event,))[0], commands.ShowHand)


def test_nobody_else_may_show_and_nobody_once_the_next_hand_is_opened() -> None:
    floor, winner = won_by_folds()
    with pytest.raises(errors.NothingToShow) as refused:
        shown(floor, winner % 3 + 1)
    assert refused.value.rule == "showdown.show"
    last = floor.table.last_hand
    assert last is not None
    floor.open_hand()
    with pytest.raises(errors.NothingToShow):
        floor.do(commands.ShowHand(entrant=entrant(winner), hand=last.hand, now=floor.now))


def test_after_a_showdown_there_is_nothing_left_to_show() -> None:
    company = Company(bare(), dict.fromkeys("ABC", 100), "A B C")
    company.deal()
    company.bets("A check", "B check", "C check")
    company.check_down()
    with pytest.raises(errors.NothingToShow):
        shown(company.floor, company.seats["A"])
