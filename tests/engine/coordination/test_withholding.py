"""A dry run gets states without hidden values, and no rule can decide by what is missing."""

from typing import Any

import msgspec
import pytest

from engine.coordination.withholding import withheld
from engine.kit.hidden import HiddenNeeded, Withheld, unsealed
from engine.rulesets import PRESETS
from engine.table.decider import decider
from engine.table.model import commands
from engine.table.model.state import Table
from engine.tournament.model.values import Masters
from engine.values import Sealed, SealedCard
from tests.engine.table.tables import digest, entrant
from tests.properties.chooser import Choices
from tests.properties.croupier import Croupier, seats_max

PUBLIC = {
    "hand_quit", "hand_killed", "unmatched_returned", "pots_formed", "pot_awarded",
    "penalty_paid", "sabacc_pot_awarded", "hand_settled",
}  # fmt: skip
"""The outcomes that a hand can have without a card: quitting folds, and the last one wins."""


def hidden_in(state: Any) -> list[Any]:
    """Return every hidden value that is still in *state*."""
    match state:
        case Sealed():
            return [] if isinstance(state.value, Withheld) else [state]
        case SealedCard():
            return [] if isinstance(state.card, Withheld) else [state]
        case Masters():
            return [] if isinstance(state.cards, Withheld) else [state]
        case tuple() | list():
            return [found for each in state for found in hidden_in(each)]
        case msgspec.Struct():
            members = (getattr(state, name) for name in state.__struct_fields__)
            return [found for each in members for found in hidden_in(each)]
    return []


def asked_of(table: Table) -> list[Any]:
    """Return the commands that a table may get without a player's own cards."""
    sitting = [place.entrant for place in table.places]
    now = table.hand.opened.at if hasattr(table.hand.opened, "at") else None
    quits = [commands.QuitHand(entrant=each, now=now) for each in sitting]
    return [*quits, commands.VoidDeal(cause="fouled_deck", reason="x", now=now)]


@pytest.mark.parametrize("name", PRESETS)
def test_no_rule_decides_by_a_hidden_value_that_is_withheld(name: str) -> None:
    croupier = Croupier(name, min(3, seats_max(name)), 7, Choices([1, 5, 2, 8], 11))
    seen: list[Table] = []

    def keep(croupier: Croupier) -> None:
        if croupier.table.hand is not None:
            seen.append(croupier.table)

    croupier.play(2, after=keep)
    assert seen
    went_on = 0
    for table in seen[:60]:
        blind = withheld(table)
        assert hidden_in(blind) == []
        for asked in asked_of(table):
            try:
                events, after = decider.carry_out(blind, asked)
            except HiddenNeeded:
                assert isinstance(asked, commands.VoidDeal)
                continue
            types = [each.__struct_config__.tag for each in events]
            assert set(types) <= PUBLIC, (asked, types)
            went_on += isinstance(after, Table) and after.hand is not None
    assert went_on


def test_a_placeholder_can_be_handed_on_and_not_read() -> None:
    value: Any = Withheld()
    held = (value, {"key": value})
    assert held[0] is value and repr(value) == "Withheld()"
    readings = (
        lambda: value == value,
        lambda: bool(value),
        lambda: hash(value),
        lambda: str(value),
        lambda: len(value),
        lambda: value.cards,
        lambda: value[0],
        lambda: sorted([value, value]),
        lambda: "C+01" in value,
        lambda: unsealed(value),
    )
    for read in readings:
        with pytest.raises(HiddenNeeded):
            read()


def test_what_hides_nothing_stays_the_same_object() -> None:
    quit_ = commands.QuitHand(entrant=entrant(1), now=None)
    assert withheld(quit_) is quit_
    masters = Masters(cards=digest("cards"), open=digest("open"))
    assert hidden_in(withheld((masters,))) == []
