"""A new phase takes over what every phase has, and no event may change both."""

import pytest
from msgspec.structs import replace

from engine.errors import InvariantViolated
from engine.tournament.evolve.phases import carried_over
from engine.tournament.model.commands.money import RecordPayment
from engine.tournament.model.state import Cancelled, State
from engine.tournament.model.values.fairness import Fairness
from engine.tournament.model.values.money import Books
from tests.engine.tournament.floor import NOON, entrant, player
from tests.engine.tournament.test_money import entered


def begun() -> tuple[State, Cancelled]:
    """Return a tournament with a payment and a dispute, and the bare phase that follows."""
    paid = RecordPayment(entrant=entrant(1), kind="buy_in", amount=1_000, by=player(99), now=NOON)
    before = replace(entered(1, 2, payment="recorded").asked(paid).state, frozen=("dsp_1",))
    then = Cancelled(
        terms=before.terms, entrants=before.entrants, reason="x", entering=before.entering
    )
    return before, then


def test_a_new_phase_takes_over_books_fairness_and_freezes() -> None:
    before, then = begun()
    after = carried_over(before, then)
    assert before.books.payments
    assert (after.books, after.fairness, after.frozen) == (
        before.books, before.fairness, before.frozen,
    )  # fmt: skip


@pytest.mark.parametrize(
    "changed",
    [
        {"books": Books(add_ons=(entrant(1),))},
        {"fairness": Fairness(published="ab" * 32)},
        {"frozen": ("dsp_2",)},
    ],
)
def test_an_event_that_changes_both_is_no_silent_loss(changed: dict[str, object]) -> None:
    before, then = begun()
    with pytest.raises(InvariantViolated):
        carried_over(before, replace(then, **changed))
