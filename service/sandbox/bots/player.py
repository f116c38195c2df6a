"""A player that reads the public view of its table, chooses an action, and sends it."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from itertools import islice

from service.base.documents import Document
from service.sandbox.bots.betting import Stakes, Temper, bet
from service.sandbox.bots.card_turns import card_turn, hand_of, is_traditional, standing
from service.sandbox.bots.client import Client, Problem
from service.sandbox.bots.judgement import Dealt, best_addition, chance, draws, score, whim
from service.sandbox.bots.practice import practised
from service.sandbox.bots.strengths import STEADY, Style
from service.sandbox.bots.weighing import Weighing

STALE = frozenset({"stale_decision", "no_decision_open", "not_your_turn", "table_held"})
"""The codes of refusals that only mean that the table has moved on."""

RIVALS_MAX = 3
"""Most opponents that a selection is made against. Others fold before the showdown."""


@dataclass(slots=True, kw_only=True)
class Player:
    """
    One bot in one tournament.

    Args:
        client: A client with the bot's own token.
        name: The bot's name. Together with *seed* it fixes the moods.
        seed: The night's seed.
        entropy: The bot's 32 bytes of entropy for its decks, or None to add no entropy.
        asleep: True if the bot misses every decision until its seat is away and it is woken.
    """

    client: Client
    name: str
    seed: int
    entropy: bytes | None = None
    asleep: bool = False
    temper: Temper = field(init=False)
    answered: int = 0
    refused: list[str] = field(default_factory=list)
    """Refusals that a late answer does not explain. It is empty after a good night."""

    def __post_init__(self) -> None:
        self.temper = Temper.of(self.name, self.seed)

    async def commit(self, tournament: str) -> None:
        """Commit to the bot's entropy, before the seats are drawn."""
        if self.entropy is None:
            return
        commitment = sha256(b"holotable/entropy/1" + self.entropy).hexdigest()
        await self._mix(f"/v1/tournaments/{tournament}/entropy", {"commitment": commitment})

    async def open(self, tournament: str) -> None:
        """Open the bot's entropy, between the seat draw and the first hand, unless asleep."""
        if self.entropy is None or self.asleep:
            return
        value = self.entropy.hex()
        await self._mix(f"/v1/tournaments/{tournament}/entropy/open", {"value": value})

    async def _mix(self, path: str, body: dict[str, str]) -> None:
        try:
            await self.client.post(path, body)
        except Problem as problem:
            if problem.code not in ("entropy_too_late", "seats_being_drawn"):
                self.refused.append(f"{problem} for its entropy")

    async def answer(self, table: str, decision: str) -> bool:
        """
        Read the view of *table* and answer the open decision, if it waits for this player.

        Returns:
            True if an action was accepted.

        Raises:
            Unreachable: If the server stays unavailable.
        """
        if self.asleep:
            return False
        done = await self._act(table, decision)
        while done == "field":
            # Laying cards in the static field does not answer the decision.
            done = await self._act(table, decision)
        return done is not None

    async def _act(self, table: str, decision: str) -> str | None:
        """Send one action. Return its type if it was accepted, otherwise None."""
        view = await self.client.get(f"/v1/tables/{table}")
        action = choose(view, self.temper, self.name, self.seed)
        if action is None:
            return None
        key = f"{self.name}-{decision}-{view['version']}"
        try:
            await self.client.post(f"/v1/tables/{table}/actions", action, key=key)
        except Problem as problem:
            if problem.code not in STALE:
                self.refused.append(f"{problem} for {action['type']}")
            return None
        self.answered += 1
        return str(action["type"])

    async def come_back(self, table: str) -> None:
        """Come back to the seat at *table* from the next hand. A lost seat is no error."""
        self.asleep = False
        try:
            await self.client.post(f"/v1/tables/{table}/presence", {"away": False})
        except Problem as problem:
            if problem.code != "entrant_not_seated":
                self.refused.append(f"{problem} for coming back")


def choose(
    view: Document, temper: Temper, name: str, seed: int, style: Style = STEADY
) -> Document | None:
    """
    Return the player's action for a view, or ``None`` if no decision waits for the player.

    The same view, temper, name, seed and style give the same action.
    """
    decision, mine = view["decision"], view["me"]
    legal = {action["verb"]: action for action in view["legal"]}
    if decision is None or mine is None or not legal:
        return None
    moment = (view["number"], view["hand_number"], view["deal"], decision["turn"])
    mood = whim(seed, name, *moment)
    if "select" in legal:
        action: Document = {"type": "select", "cards": list(_selection(view, mood, style))}
    elif "improve" in legal:
        kept, fresh = mine["selection"], mine["new_cards"]
        cards = best_addition(kept, fresh, view["target"], view["suit"])
        action = {"type": "improve", "cards": list(cards)}
    elif "stand" in legal:
        action = card_turn(view, style)
    elif style.practised and _weighed(view):
        action = Weighing.of(view, legal).action(legal, mood)
    else:
        single = prospect(view, mood, style)
        turns = view["target"] is None
        action = bet(legal, Stakes.of(view, legal), single, temper, mood, style, turns=turns)
    return {"decision": decision["token"], **action}


def _weighed(view: Document) -> bool:
    """Return whether the bets of a game are weighed. In Traditional they are not."""
    return view["target"] is not None or not is_traditional(hand_of(view))


def _selection(view: Document, mood: float, style: Style) -> Sequence[str]:
    """Return the selection with the best chance, or the best cards now without a look ahead."""
    least, cards = view["legal"][0]["cards_min"], view["me"]["cards"]
    if style.practised:
        rivals = sum(seat["live"] for seat in view["seats"]) - 1
        target, suit = view["target"], view["suit"]
        return practised(target).selection(cards, target, suit, min(RIVALS_MAX, rivals), least)
    if style.draws:
        return dealt(view, mood, style).selection(least)
    best = best_addition((), cards, view["target"], view["suit"])
    others = (card for card in cards if card not in best)
    return (*best, *islice(others, max(0, least - len(best))))


def dealt(view: Document, mood: float, style: Style) -> Dealt:
    """Return the viewer's cards with the target and possible draws of new cards."""
    cards = (*view["me"]["cards"], *view["me"]["selection"])
    possible = draws(cards, mood, style.draws)
    return Dealt(view["me"]["cards"], view["target"], view["suit"], possible)


def prospect(view: Document, mood: float, style: Style) -> float:
    """Estimate the chance that the viewer's hand beats one opponent's."""
    mine, number, suit = view["me"], view["target"], view["suit"]
    if number is None:
        return standing(view)
    if view["decision"]["street"] == 1 and style.draws:
        return dealt(view, mood, style).prospect(mine["selection"])
    added = best_addition(mine["selection"], mine["new_cards"], number, suit)
    return chance(score((*mine["selection"], *added), number, suit))
