"""Calculations with the rules: the worth of hands, and the levels of an evening."""

from collections.abc import Sequence
from typing import Annotated

import msgspec
from litestar import Response
from msgspec import Meta

from engine.hand import traditional_ranking
from engine.hand.showdown import SELECTION_MAX, key
from engine.hand.spike_hands import HAND_MAX, HAND_MIN
from engine.hand.spike_reasons import judged
from engine.kit.cards import DECKS, total
from engine.kit.dice import Suit
from engine.rulesets import CoruscantShift, Ruleset, Traditional, preset
from engine.rulesets.errors import RulesetUnknown
from engine.rulesets.parts import Levels, LevelStep
from engine.rulesets.structure import PLAYERS_MAX, suggest
from engine.rulesets.validation import NUMBER_MAX
from service.api.http.operations import operation
from service.api.http.problems.faults import Fault, refused
from service.api.http.writing.submitting import encoded
from service.base.errors import StreamNotFound

_TRADITIONAL_MAX = 10


class StructureWanted(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """An evening for which levels are to be proposed."""

    players: Annotated[int, Meta(ge=2, le=PLAYERS_MAX)]
    """The number of entrants."""

    stack: Annotated[int, Meta(ge=1, le=NUMBER_MAX)]
    """The starting stack, in chips."""

    minutes: Annotated[int, Meta(ge=45, le=1440)]
    """The planned length."""

    ruleset: Annotated[str, Meta(max_length=40)] = "better"
    """The name of a preset with blinds or an ante."""


class StructureOverrides(msgspec.Struct, kw_only=True):
    """Members for the `overrides` of an announcement."""

    escalation: Levels
    """The levels by the clock. The forced bets are the same at every table."""

    starting_stack: int
    """The starting stack, in chips."""


class StructureShown(msgspec.Struct, kw_only=True):
    """Levels with which a tournament takes about the given time. They promise nothing."""

    ruleset: str
    """The name of the preset."""

    levels: tuple[LevelStep, ...]
    """The levels in order. The last one never ends."""

    overrides: StructureOverrides
    """The same levels, as an announcement takes them."""


class HandsWanted(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """Hands to compare by the rules of a preset, or of a tournament."""

    hands: Annotated[
        tuple[Annotated[tuple[Annotated[str, Meta(max_length=8)], ...], Meta(max_length=10)], ...],
        Meta(min_length=1, max_length=12),
    ]
    """The cards of each hand, such as `["T+10", "Z1"]`. In Coruscant Shift it is the selection."""

    target: Annotated[int, Meta(ge=-50, le=50)] | None = None
    """Coruscant Shift: the target number."""

    suit: Suit | None = None
    """Coruscant Shift: the target suit."""


class HandWorth(msgspec.Struct, kw_only=True):
    """The worth of one hand."""

    total: int
    """The sum of the values."""

    key: tuple[int, ...]
    """The numbers that hands are compared by, in order. Smaller is better."""

    name: str | None
    """The game's name for the hand, or null in Coruscant Shift."""

    bombed: bool
    """True if the hand has bombed out. It wins no chips."""

    distance: int | None
    """Coruscant Shift: the distance from the target."""

    suited: int | None
    """Coruscant Shift: the number of cards that count for the target suit."""


class HandsWorth(msgspec.Struct, kw_only=True):
    """The worth of hands, and the best of them."""

    ruleset: str
    """The name of the preset. A tournament may have changed some of its parameters."""

    hands: tuple[HandWorth, ...]
    """The hands in the order in which they were sent."""

    best: tuple[int, ...]
    """
    The indices of the best hands, from 0. Tied hands are all listed. The list is empty if all
    bombed out.
    """


@operation(
    "POST", "/v1/structures", "suggest_structure",
    "Propose the levels of a tournament that should end near a given time. Changes nothing.",
    asks=True, needs="anyone", answer=StructureShown,
    problems=("unknown_ruleset", "invalid_ruleset"),
)  # fmt: skip
async def suggest_structure(body: StructureWanted) -> Response[bytes]:
    """Propose levels, as ``holotable structure suggest`` does."""
    found = suggest(
        preset(body.ruleset), players=body.players, stack=body.stack, minutes=body.minutes
    )
    overrides = StructureOverrides(
        escalation=Levels(by="clock", levels=found), starting_stack=body.stack
    )
    return encoded(StructureShown(ruleset=body.ruleset, levels=found, overrides=overrides))


@operation(
    "POST", "/v1/rulesets/{ruleset_id:str}/evaluate", "evaluate_hands",
    "Rank hands by the rules of a preset, and name the best. Changes nothing.",
    asks=True, needs="anyone", answer=HandsWorth,
)  # fmt: skip
async def evaluate_hands(ruleset_id: str, body: HandsWanted) -> Response[bytes]:
    """Rank the hands as a showdown does."""
    try:
        ruleset = preset(ruleset_id)
    except RulesetUnknown as error:
        raise StreamNotFound(error.detail) from error
    return encoded(compared(ruleset_id, ruleset, body))


def compared(name: str, ruleset: Ruleset, asked: HandsWanted) -> HandsWorth:
    """
    Rank hands as a showdown by *ruleset* does.

    Args:
        name: The name of the preset that *ruleset* was made of.

    Raises:
        BadRequest: If the deck has no such cards, a card is there twice, or a number is missing.
    """
    faults = _faults(ruleset, asked)
    if faults:
        raise refused(faults)
    hands = tuple(_worth(ruleset, each, asked.target, asked.suit) for each in asked.hands)
    alive = [each.key for each in hands if not each.bombed]
    best = tuple(
        index for index, each in enumerate(hands) if not each.bombed and each.key == min(alive)
    )
    return HandsWorth(ruleset=name, hands=hands, best=best)


def _faults(ruleset: Ruleset, body: HandsWanted) -> list[Fault]:
    """Return the faults of a ranking request: foreign cards, doubled cards, wrong numbers."""
    faults = []
    if isinstance(ruleset, CoruscantShift):
        faults = [
            Fault(f"/{name}", "Coruscant Shift needs it", "invalid_value")
            for name, value in (("target", body.target), ("suit", body.suit))
            if value is None
        ]
    least, most = _sizes(ruleset)
    deck = DECKS["d76" if isinstance(ruleset, Traditional) else "d62"]
    seen: set[str] = set()
    for number, cards in enumerate(body.hands):
        if not least <= len(cards) <= most:
            detail = f"a hand has {least} to {most} cards"
            faults.append(Fault(f"/hands/{number}", detail, "invalid_value"))
        for index, card in enumerate(cards):
            if card not in deck or card in seen:
                detail = "the card is twice here" if card in seen else "the deck has no such card"
                faults.append(Fault(f"/hands/{number}/{index}", detail, "invalid_value"))
            seen.add(card)
    return faults


def _sizes(ruleset: Ruleset) -> tuple[int, int]:
    if isinstance(ruleset, CoruscantShift):
        return 1, SELECTION_MAX
    if isinstance(ruleset, Traditional):
        return 1, _TRADITIONAL_MAX
    return HAND_MIN, HAND_MAX


def _worth(
    ruleset: Ruleset, cards: Sequence[str], target: int | None, suit: Suit | None
) -> HandWorth:
    held = tuple(cards)
    if isinstance(ruleset, CoruscantShift):
        distance, fewer = key(held, target or 0, suit or "circle")
        return HandWorth(
            total=total(held), key=(distance, fewer), name=None, bombed=False,
            distance=distance, suited=-fewer,
        )  # fmt: skip
    if isinstance(ruleset, Traditional):
        ranked = traditional_ranking.rank(held, ruleset.compare)
    else:
        ranked = judged(ruleset, held)
    return HandWorth(
        total=ranked.total, key=ranked.key, name=ranked.name, bombed=ranked.bombed,
        distance=None, suited=None,
    )  # fmt: skip
