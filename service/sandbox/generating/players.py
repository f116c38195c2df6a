"""Random players that only take legal actions."""

from collections.abc import Sequence

import msgspec

from engine.hand.betting import LegalAction
from engine.rulesets import CoruscantShift
from engine.table.model.commands import (
    Act,
    CallHand,
    CardVerb,
    Command,
    FieldCards,
    Improve,
    Select,
    TakeCardTurn,
)
from engine.table.model.state import Table
from engine.table.read.view import seen_by
from engine.table.read.view_parts import TableView
from engine.values import EntrantId
from service.base.documents import Document
from service.director.runtime import Runtime
from service.sandbox.generating.chance import Dice

PATIENT = ("caller", "careful", "careful", "random")
"""The usual moods of players. With more chaos, more players have a weird mood."""

WEIRD = ("maniac", "random", "random", "absent", "folder")
ABSENT = "absent"
MANIAC = "maniac"

_SHY = {"careful": 0.35, "random": 0.25, "folder": 0.8}
"""The chance to fold to a bet, by mood."""

_BOLD = {"careful": 0.12, "random": 0.35, "maniac": 0.7}
"""The chance to raise if a raise is legal, by mood."""


def mood(dice: Dice) -> str:
    """Return a random mood for a player."""
    return str(dice.one(WEIRD if dice.odd(0.6) else PATIENT))


def answer(runtime: Runtime, dice: Dice, table: Table, entrant: EntrantId, how: str) -> Command:
    """Return the answer of *entrant* to the open decision, in the mood *how*."""
    view = seen_by(table, entrant)
    decision = table.decision
    if decision is None or view.me is None:
        raise LookupError("nobody is asked")
    asked: Document = {
        "entrant": entrant,
        "decision": decision.token,
        "now": runtime.clock.now(),
    }
    if decision.phase == "select":
        cards = _some(dice, view.me.cards, least=_least_selected(table), bold=how == MANIAC)
        return Select(**asked, cards=cards, salt=runtime.entropy.token())
    if decision.phase == "improve":
        # Rulebook `selection.final`: both choices together must keep at least one card.
        least = 0 if view.me.selection else 1
        cards = _some(dice, view.me.new_cards, least=least, bold=False)
        return Improve(**asked, cards=cards, salt=runtime.entropy.token())
    return _turn(runtime, dice, table, view, asked, how)


def _least_selected(table: Table) -> int:
    ruleset = table.ruleset
    return ruleset.first_selection_min if isinstance(ruleset, CoruscantShift) else 0


def _some(dice: Dice, cards: Sequence[str], *, least: int, bold: bool) -> tuple[str, ...]:
    if bold:
        return tuple(cards[: max(1, least)])
    chosen = tuple(card for card in cards if dice.below(2))
    return chosen if len(chosen) >= least else tuple(cards[:least])


def _turn(
    runtime: Runtime, dice: Dice, table: Table, view: TableView, asked: Document, how: str
) -> Command:
    """Return a bet, or a card turn if the game has card turns."""
    legal = {each.verb: each for each in view.legal}
    if "raise_to" in legal and dice.happens(_BOLD.get(how, 0.0)):
        return Act(**asked, verb="raise_to", amount=_amount(dice, table, legal["raise_to"], how))
    if "fold" in legal and "check" not in legal and dice.happens(_SHY.get(how, 0.0)):
        return Act(**asked, verb="fold")
    for verb in ("check", "call", "stay"):
        if verb in legal:
            expected = legal[verb].amount if verb == "call" else None
            return Act(**asked, verb=verb, expected=expected)
    action = dice.one([each for each in view.legal if each.verb not in ("fold", "junk")])
    if action.verb == "call_hand":
        return CallHand(**asked)
    if action.verb == "field":
        return FieldCards(**asked, cards=(action.cards or ())[:1])
    card = dice.one(action.cards) if action.cards else None
    return TakeCardTurn(
        **asked,
        verb=msgspec.convert(action.verb, CardVerb),
        card=card,
        source=action.source,
        salt=runtime.entropy.token(),
    )


def _amount(dice: Dice, table: Table, action: LegalAction, how: str) -> int:
    unit = table.ruleset.chip_unit
    least, most = action.min, action.max
    if least is None or most is None:
        raise LookupError("a raise has bounds")
    if how == MANIAC or most - least < unit or dice.happens(0.15):
        return int(most)
    if dice.happens(0.5):
        return int(least if least % unit == 0 else most)
    first = -(-least // unit)
    return int(unit * dice.between(first, max(first, min(most // unit, first + 4))))
