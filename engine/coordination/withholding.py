"""
States without their hidden values. A dry run may decide by these alone.

Sealed values and cards, a tournament's masters and the cards of face-down piles are withheld.
Everything else in a state is public, or belongs to its viewer.
"""

from typing import Any

import msgspec
from msgspec.structs import asdict, replace

from engine.kit.hidden import Withheld
from engine.table.model.hand import Hand
from engine.tournament.model.values import Masters
from engine.values import Sealed, SealedCard

_WITHHELD: Any = Withheld()


def withheld(state: Any) -> Any:
    """Return *state* with a placeholder for each hidden value, or *state* itself without any."""
    match state:
        case Sealed():
            return Sealed(_WITHHELD, _WITHHELD, state.audiences)
        case SealedCard():
            return SealedCard(_WITHHELD, _WITHHELD, state.pile, state.position, state.audiences)
        case Masters():
            return Masters(cards=_WITHHELD, open=_WITHHELD)
        case tuple():
            return _tuple(state)
        case dict():
            return {key: withheld(each) for key, each in state.items()}
        case Hand():
            return _struct(_without_piles(state))
        case msgspec.Struct():
            return _struct(state)
    return state


def _tuple(items: tuple[Any, ...]) -> tuple[Any, ...]:
    found = tuple([withheld(each) for each in items])
    changed = any(new is not old for new, old in zip(found, items, strict=True))
    return found if changed else items


def _struct(state: msgspec.Struct) -> msgspec.Struct:
    changes = {}
    for name, old in asdict(state).items():
        new = withheld(old)
        if new is not old:
            changes[name] = new
    return replace(state, **changes) if changes else state


def _without_piles(hand: Hand) -> Hand:
    """Return *hand* without the faces of discards. The first pile stays: it is the whole deck."""
    return replace(
        hand,
        discards=_faces(hand.discards),
        pile_cards=hand.pile_cards if hand.pile == 1 else _faces(hand.pile_cards),
        earlier_piles=(*hand.earlier_piles[:1], *map(_faces, hand.earlier_piles[1:])),
    )


def _faces(cards: tuple[str, ...]) -> tuple[str, ...]:
    return (_WITHHELD,) * len(cards)
