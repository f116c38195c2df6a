"""
The type of overrides, for the document.

Overrides stay JSON until they are laid over a preset, because the same name may mean different
things in different games.
"""

from functools import reduce
from operator import or_
from typing import Annotated, Literal, get_args

import msgspec
from msgspec import UNSET, Meta, UnsetType, inspect

from engine.rulesets import Ruleset
from engine.values import Chips
from service.base.docstrings import members_of
from service.log.hiding import Hint

_FIXED = ("revision",)
"""Parameters that nobody may override."""


class Antes(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """The antes of a game with two pots. A game has ``main`` or ``hand``, not both."""

    main: Chips | UnsetType = UNSET
    """Traditional: the ante of each seat into the main pot."""

    hand: Chips | UnsetType = UNSET
    """Corellian Spike: the ante of each seat into the hand pot."""

    sabacc: Chips | UnsetType = UNSET
    """The ante of each seat into the Sabacc pot."""


class RebuyOverride(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """The rebuys that the game allows, each for a starting stack."""

    max: int | Literal["unlimited"] | UnsetType = UNSET
    """
    The number of rebuys a player may make: 0 for none, or ``unlimited``. Null would take away what
    a template or the house rules say, as everywhere in a merge patch (RFC 7396).
    """

    until_level: int | UnsetType = UNSET
    """The last level in which a player may rebuy. Without it, every level is."""

    seconds: int | UnsetType = UNSET
    """The seconds that a table waits for players who have just busted."""

    between_hands: Literal[True] | UnsetType = UNSET
    """Rebuys happen between hands only."""


def _parameters() -> list[tuple[str, Hint, UnsetType]]:
    """Return each parameter of any game with the types that it has in the games, all optional."""
    kinds: dict[str, list[Hint]] = {}
    texts: dict[str, dict[str, None]] = {}
    for game in get_args(Ruleset):
        for each in msgspec.structs.fields(game):
            kinds.setdefault(each.name, []).append(each.type)
            texts.setdefault(each.name, {})[members_of(game)[each.name]] = None
    whole = {name: _union(each) for name, each in kinds.items()}
    whole |= {"ante": Antes, "rebuy": RebuyOverride}
    return [
        (name, Annotated[kind, Meta(description=" ".join(texts[name]))] | UnsetType, UNSET)
        for name, kind in whole.items()
        if name not in _FIXED
    ]


def _union(kinds: list[Hint]) -> Hint:
    """Return the union of types. Words that a member may have become one list."""
    if all(isinstance(inspect.type_info(each), inspect.LiteralType) for each in kinds):
        return Literal[tuple(dict.fromkeys(word for each in kinds for word in get_args(each)))]
    return reduce(or_, dict.fromkeys(kinds))


RulesetOverrides = msgspec.defstruct(
    "RulesetOverrides",
    _parameters(),
    module=__name__,
    kw_only=True,
    forbid_unknown_fields=True,
    namespace={
        "__doc__": (
            "Parameters laid over a preset. Those of another game are refused. An object with "
            "`kind` replaces the preset's, and of any other object only the given members change."
        )
    },
)
"""The parameters of all games as optional members."""
