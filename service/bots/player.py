"""A player that looks at the table as anybody may, thinks for a moment, and answers."""

from dataclasses import dataclass, field
from typing import Any

from service.bots.client import Client, Problem
from service.bots.judgement import best_selection, strength, whim

STALE = frozenset({"stale_decision", "no_decision_open", "not_your_turn", "table_held"})
"""Refusals that only say that the table has moved on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Temper:
    """What makes one player unlike another; all between 0 and 1."""

    boldness: float
    patience: float

    @classmethod
    def of(cls, name: str, seed: int) -> "Temper":
        """Return the temper of the player called *name* on the night *seed*."""
        return cls(boldness=whim(seed, name, "bold"), patience=whim(seed, name, "patient"))


@dataclass(slots=True, kw_only=True)
class Player:
    """
    One bot in one tournament.

    Args:
        client: Speaks with the bot's own token.
        name: Its name; with *seed* it fixes the moods.
        seed: Of the night.
        asleep: Whether it misses every decision until it is away and somebody wakes it.
    """

    client: Client
    name: str
    seed: int
    asleep: bool = False
    temper: Temper = field(init=False)
    answered: int = 0
    refused: list[str] = field(default_factory=list)
    """Codes of refusals that were not just a moment too late; empty in a good night."""

    def __post_init__(self) -> None:
        self.temper = Temper.of(self.name, self.seed)

    async def answer(self, table: str, decision: str) -> bool:
        """
        Look at *table* and answer the open decision, if it is this player's to make.

        Returns:
            Whether an action was accepted.

        Raises:
            Unreachable: If the server stays away.
        """
        if self.asleep:
            return False
        view = await self.client.get(f"/v1/tables/{table}")
        action = choose(view, self.temper, self.name, self.seed)
        if action is None:
            return False
        key = f"{self.name}-{decision}-{view['version']}"
        try:
            await self.client.post(f"/v1/tables/{table}/actions", action, key=key)
        except Problem as problem:
            if problem.code not in STALE:
                self.refused.append(f"{problem} for {action['type']}")
            return False
        self.answered += 1
        return True

    async def come_back(self, table: str) -> None:
        """Say at *table* that it plays on, from the next hand; too late if it has no seat left."""
        self.asleep = False
        try:
            await self.client.post(f"/v1/tables/{table}/presence", {"away": False})
        except Problem as problem:
            if problem.code != "entrant_not_seated":
                self.refused.append(f"{problem} for coming back")


def choose(view: dict[str, Any], temper: Temper, name: str, seed: int) -> dict[str, Any] | None:
    """
    Return the action a player takes on what it sees, ``None`` if nothing is asked of it.

    The same view, temper, name and seed give the same action.
    """
    decision, mine = view["decision"], view["me"]
    legal = {action["verb"]: action for action in view["legal"]}
    if decision is None or mine is None or not legal:
        return None
    token = decision["token"]
    if "select" in legal:
        cards = best_selection((), mine["cards"], view["target"], view["suit"])
        return {"type": "select", "decision": token, "cards": list(cards)}
    if "improve" in legal:
        kept, fresh = mine["selection"], mine["new_cards"]
        cards = best_selection(kept, fresh, view["target"], view["suit"])
        return {"type": "improve", "decision": token, "cards": list(cards)}
    if "stand" in legal:
        return {"type": _card_turn(legal, whim(seed, name, token)), "decision": token}
    if view["target"] is None:
        return {"decision": token, **_bet_blindly(legal)}
    moment = (view["number"], view["hand_number"], view["deal"], decision["turn"])
    return {"decision": token, **_bet(view, legal, temper, whim(seed, name, *moment))}


def _card_turn(legal: dict[str, Any], mood: float) -> str:
    """Stand, now and then draw, and call the hand before long: legal, and no more."""
    if "call_hand" in legal and mood > 0.7:
        return "call_hand"
    return "draw" if "draw" in legal and mood < 0.2 else "stand"


def _bet_blindly(legal: dict[str, Any]) -> dict[str, Any]:
    """Check or call; games of card turns are not judged here."""
    if "check" in legal:
        return {"type": "check"}
    return {"type": "call", "expected": legal["call"]["amount"]}


def _bet(
    view: dict[str, Any], legal: dict[str, Any], temper: Temper, mood: float
) -> dict[str, Any]:
    feeling = strength(view["me"]["selection"], view["target"], view["suit"])
    nerve = feeling + (mood - 0.5) * (0.2 + 0.4 * temper.boldness)
    at_stake = sum(pot["chips"] for pot in view["pots"])
    if "raise_to" in legal and nerve > 0.72 - 0.2 * temper.boldness:
        return _raise(legal["raise_to"], at_stake, view["current_bet"], nerve)
    if "check" in legal:
        return {"type": "check"}
    if "stay" in legal:
        return {"type": "stay"}
    due = legal["call"]["amount"]
    price = due / max(1, at_stake + due)
    if nerve < 0.08 + price * (0.7 + 0.5 * temper.patience):
        return {"type": "fold"}
    return {"type": "call", "expected": due}


def _raise(legal: dict[str, Any], at_stake: int, current_bet: int, nerve: float) -> dict[str, Any]:
    """Raise by about the pot, or by everything when the nerve is good."""
    least, most = legal["min"], legal["max"]
    unit = max(1, least - current_bet)
    wished = current_bet + int(at_stake * nerve * 0.6)
    amount = least + max(0, wished - least) // unit * unit
    all_in = nerve > 0.93 or amount * 2 > most
    return {"type": "raise_to", "amount": most if all_in else amount}
