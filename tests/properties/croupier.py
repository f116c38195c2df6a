"""
A table with random play: everything that the rules allow, and attempts that they do not allow.

One croupier drives one table of any preset. Its generator is that of hypothesis, so that a
failure shrinks, or a seeded one for volume.
"""

from collections.abc import Callable
from datetime import timedelta
from random import Random
from typing import Any

from engine.errors import CommandRejected
from engine.kit.cards import deck
from engine.rulesets import Ante, PokerNoLimit, Ruleset
from engine.table.decider import decider
from engine.table.model import commands, events
from engine.table.model.commands import Arrival, Command, Improve, Select, TimeOut, Verb
from engine.table.model.errors import TooFewStacks
from engine.table.model.events import Event
from engine.table.model.hand import Decision
from engine.table.model.state import Table
from engine.table.read.view_parts import TableView
from tests.engine.table.tables import Floor, digest, entrant
from tests.properties.chooser import (
    CARD_VERBS,
    SOURCES,
    VERBS,
    Chooser,
    card_turn,
    is_legal,
    is_legal_turn,
    view_of,
    wager,
)
from tests.properties.variants import variant

SEATS_MAX = 12
STEPS_OF_A_HAND_MAX = 3_000
"""More steps than any hand can have: every raise adds a chip, and there are few chips."""

STRANGER = entrant(99)


def ruleset_for(name: str, seats: int) -> Ruleset:
    """Return the variant called *name* with *seats* seats, and one more if the game has it."""
    room = min(seats + 1, seats_max(name))
    return variant(name, {"max_players": max(room, variant(name).max_players)})


def seats_max(name: str) -> int:
    """Return the largest number of seats at a table of *name*: twelve, or the game's own limit."""
    own = variant(name)
    return SEATS_MAX if own.variant == "coruscant_shift" else own.max_players


class Croupier:
    """
    A driver of one table by random choices.

    Args:
        game: A variant's name, or a ruleset.
        seats: The number of players at the start.
        seed: The seed of the cards, the dice and the stacks.
        dice: The source of every choice.
    """

    def __init__(self, game: str | Ruleset, seats: int, seed: int, dice: Random) -> None:
        self.dice = dice
        self.chooser = Chooser(dice)
        ruleset = ruleset_for(game, seats) if isinstance(game, str) else game
        stacks = [small_stack(ruleset, seed + seat) for seat in range(seats)]
        self.floor = Floor(
            ruleset, stacks, seed=seed, seat_count=min(seats + 1, ruleset.max_players)
        )
        self.chips = self.table.chips()
        self.cards = sorted(deck(ruleset.deck))
        self.steps = 0
        self.refusals = 0
        self.hands = 0
        self._came = seats

    @property
    def table(self) -> Table:
        return self.floor.table

    def play(self, hands: int, *, after: Callable[["Croupier"], None] | None = None) -> None:
        """Play up to *hands* hands, and call *after* after each command."""
        look = after or _nothing
        for _ in range(hands):
            if not self._open_hand():
                return
            look(self)
            steps = 0
            while not self.table.idle:
                self._trouble(look)
                if self.table.idle:
                    break
                self.answer()
                look(self)
                steps += 1
                assert steps < STEPS_OF_A_HAND_MAX, "a hand that does not end"
            self.hands += 1
            self._between_hands(look)

    def do(self, command: Command) -> tuple[Event, ...]:
        """Carry out *command*, which must be legal."""
        happened = self.floor.do(command)
        self.steps += 1
        return happened

    def _open_hand(self) -> bool:
        try:
            self.floor.open_hand(last=self.chooser.rarely(8))
        except TooFewStacks:
            return False
        self.steps += 1
        return True

    def view(self, seat: int) -> TableView:
        """Return the view of the entrant in *seat*."""
        return view_of(self.table, seat)

    def answer(self) -> None:
        """Answer the open decision with a legal action of one seat, or let it time out."""
        decision = self.decision()
        if self.chooser.rarely(16):
            self.time_out()
            return
        seat = decision.seats[self.dice.randrange(len(decision.seats))]
        table, view = self.table, self.view(seat)
        assert view.legal, f"seat {seat} is waited for and has nothing to do"
        if self.chooser.rarely(4):
            self.attempt(seat, view)
            if self.table.decision != decision:
                return
            view = view if self.table is table else self.view(seat)
        self.do(self.chooser.legal(self.table, view, self.floor.now))

    def decision(self) -> Decision:
        decision = self.table.decision
        assert decision is not None, "a hand in play waits for somebody"
        return decision

    def time_out(self) -> None:
        """Let the clock answer for every seat that must act."""
        decision = self.decision()
        self.floor.now = decision.deadline + timedelta(seconds=2)
        salts = tuple(digest("clock", seat, self.floor.now) for seat in decision.seats)
        self.do(TimeOut(decision=decision.token, salts=salts, now=self.floor.now))

    def attempt(self, seat: int, view: TableView) -> None:
        """Try a random command. The table must accept it if, and only if, *view* calls it legal."""
        command, legal = self._anything(seat, view)
        if self.accepted(command, legal=legal):
            self.do(command)
        else:
            self.refusals += 1

    def accepted(self, command: Command, *, legal: bool) -> bool:
        """Return True if the table accepts *command*. Assert that this equals *legal*."""
        before = self.table
        try:
            happened = decider.decide(before, command)
        except CommandRejected as refused:
            assert not legal, f"{command} is legal and was refused: {refused}"
            assert refused.code and refused.detail
            self._tells_no_card(refused, command)
            assert self.table is before
            return False
        assert legal, f"{command} is not legal and led to {happened}"
        return True

    def _tells_no_card(self, refused: CommandRejected, command: Command) -> None:
        """Assert that a refusal names no card that the command does not name."""
        said = {refused.detail, *map(str, refused.facts.values())}
        named = {card for card in self.cards if any(card in text for text in said)}
        asked = (*getattr(command, "cards", ()), getattr(command, "card", None))
        assert named <= set(asked)

    def _anything(self, seat: int, view: TableView) -> tuple[Command, bool]:
        """Return a command that may be nonsense, and True if it is legal."""
        choice = self.dice.randrange(10)
        sound = self.chooser.legal(self.table, view, self.floor.now)
        if choice == 0:
            return _changed(sound, entrant=STRANGER), False
        if choice == 1:
            return _changed(sound, decision=self.decision().token + "0"), False
        if choice == 2:
            early = self.decision().deadline - timedelta(seconds=1)
            return TimeOut(decision=self.decision().token, salts=(), now=early), False
        if choice == 3:
            return self._of_another(seat, sound)
        if choice == 4 and isinstance(sound, Select | Improve):
            return self._bad_cards(sound, view), False
        if choice in (5, 6) and self.table.ruleset.variant != "coruscant_shift":
            return self._card_turn(seat, view)
        return self.wager(seat, view)

    def _card_turn(self, seat: int, view: TableView) -> tuple[Command, bool]:
        """Return a random card action, and True if it is legal."""
        assert view.me is not None
        verb = CARD_VERBS[self.dice.randrange(len(CARD_VERBS))]
        source = SOURCES[self.dice.randrange(len(SOURCES))]
        cards = (None, *view.me.cards, self.cards[self.dice.randrange(len(self.cards))])
        card = cards[self.dice.randrange(len(cards))]
        command = card_turn(self.table, seat, verb, card, source, self.floor.now)
        return command, is_legal_turn(view.legal, verb, card, source)

    def _of_another(self, seat: int, sound: Command) -> tuple[Command, bool]:
        """Return *sound* sent by a seat that may not act now, or by a stranger. It is not legal."""
        waiting = self.decision().seats
        others = [place for place in self.table.places if place.seat not in waiting]
        if not others:
            return _changed(sound, entrant=STRANGER), False
        other = others[self.dice.randrange(len(others))]
        return _changed(sound, entrant=other.entrant), False

    def _bad_cards(self, sound: Select | Improve, view: TableView) -> Command:
        """Return *sound* with a bad card: one that the seat does not hold, or one named twice."""
        assert view.me is not None
        own = view.me.cards if isinstance(sound, Select) else view.me.new_cards
        if own and self.dice.randrange(2):
            return _changed(sound, cards=(own[0], own[0]))
        foreign = next(card for card in self.cards if card not in own)
        return _changed(sound, cards=(*sound.cards, foreign))

    def wager(self, seat: int, view: TableView) -> tuple[Command, bool]:
        """Return a random bet, and True if it is legal."""
        verb = VERBS[self.dice.randrange(len(VERBS))]
        amount = None
        action = next((action for action in view.legal if action.verb == verb), None)
        if verb == "raise_to":
            amount = self._any_amount(view)
        return wager(self.table, seat, verb, amount, self.floor.now), is_legal(
            self.table, action, amount
        )

    def _any_amount(self, view: TableView) -> int | None:
        raising = next((action for action in view.legal if action.verb == "raise_to"), None)
        if raising is None or raising.min is None or raising.max is None:
            return self.dice.randrange(2 * self.chips + 2)
        edges = (None, 0, raising.min - 1, raising.min, raising.max, raising.max + 1)
        choice = self.dice.randrange(len(edges) + 3)
        if choice < len(edges):
            return edges[choice]
        return self.dice.randrange(raising.max + 2)

    def _trouble(self, look: Callable[["Croupier"], None]) -> None:
        """Sometimes hold the table, let a player step away or return, or void the deal."""
        choice = self.dice.randrange(60)
        places = self.table.places
        place = places[self.dice.randrange(len(places))] if places else None
        if choice == 4:
            self.do(commands.HoldTable(reason="a question"))
            held = self.legal_while_held()
            assert held is None or not self.accepted(held, legal=False)
            self.do(commands.ResumeTable(now=self.floor.now))
            look(self)
        elif choice == 1 and place is not None:
            self.do(commands.StepAway(entrant=place.entrant))
            look(self)
        elif choice == 2 and place is not None:
            self.do(commands.ComeBack(entrant=place.entrant))
            look(self)
        elif choice == 3:
            self.do(commands.ExtendDecision(now=self.floor.now))
            look(self)
        elif choice in (5, 6) and place is not None and self._casino:
            self.do(commands.QuitHand(entrant=place.entrant, now=self.floor.now))
            look(self)
        elif choice in (7, 8, 9):
            self._void(look)

    def _void(self, look: Callable[["Croupier"], None]) -> None:
        """Void the deal if the rules allow it, and deal the hand again."""
        cause: commands.VoidCause = "mis_deal" if self.dice.randrange(3) else "fouled_deck"
        void = commands.VoidDeal(cause=cause, reason="a_card_shown", now=self.floor.now)
        if not self.accepted(void, legal=cause == "fouled_deck" or not self._substantial_action()):
            self.refusals += 1
            return
        self.do(void)
        look(self)
        self._open_hand()
        look(self)

    def _substantial_action(self) -> bool:
        """
        Return True if substantial action has followed the deal.

        This is three actions, or two actions of which at least one moved chips.
        """
        happened = self.floor.events
        opened = max(i for i, event in enumerate(happened) if isinstance(event, events.HandOpened))
        actions = [
            getattr(event, "paid", 0) or getattr(event, "fee", 0)
            for event in happened[opened:]
            if isinstance(event, events.SeatActed | events.CardTurnTaken | events.HandCalled)
            and event.decision is not None
        ]
        return len(actions) > 2 or (len(actions) == 2 and any(actions))

    @property
    def _casino(self) -> bool:
        return self.table.ruleset.score == "cash_out"

    def legal_while_held(self) -> Command | None:
        """Return an answer that would be legal if the table were not held."""
        seat = self.decision().seats[0]
        view = self.view(seat)
        assert view.legal == ()
        verb: Verb = "check" if self.decision().phase == "bet" else "fold"
        return wager(self.table, seat, verb, None, self.floor.now)

    def _between_hands(self, look: Callable[["Croupier"], None]) -> None:
        """Sometimes seat a new player, let one leave with their chips, or sell chips."""
        choice = self.dice.randrange(20)
        places = self.table.places
        if choice == 3 and len(places) > 2:
            place = places[self.dice.randrange(len(places))]
            self.do(commands.VacateSeats(departures=(place.entrant,), now=self.floor.now))
            self.chips -= place.stack
            look(self)
        elif choice == 1 and len(places) < self.table.seat_count:
            taken = {place.seat for place in places}
            seat = next(s for s in range(1, self.table.seat_count + 1) if s not in taken)
            self._came += 1
            stack = small_stack(self.table.ruleset, self._came)
            away = self.chooser.rarely(4)
            arrival = Arrival(seat=seat, entrant=entrant(self._came), stack=stack, away=away)
            self.do(commands.SeatArrivals(arrivals=(arrival,), now=self.floor.now))
            self.chips += stack
            look(self)
        elif choice == 2:
            self.do(commands.RecordWait(reason="paused", tournament_version=2))
            look(self)
        elif choice in (4, 5) and places and self._casino:
            place = places[self.dice.randrange(len(places))]
            chips = 10 * self.table.ruleset.chip_unit
            now = self.floor.now
            buy = commands.BuyChips(
                seat=place.seat, entrant=place.entrant, chips=chips, cause="add_on", now=now
            )
            self.do(buy)
            self.chips += chips
            look(self)
        elif choice > 12 and places:
            self._show(places[self.dice.randrange(len(places))].seat, look)

    def _show(self, seat: int, look: Callable[["Croupier"], None]) -> None:
        """Let *seat* show its last hand. Only the winner after folds may do so."""
        last = self.table.last_hand
        assert last is not None
        entrant = self.table.at(seat).entrant
        show = commands.ShowHand(entrant=entrant, hand=last.hand, now=self.floor.now)
        legal = any(action.verb == "show" for action in self.view(seat).legal)
        if self.accepted(show, legal=legal or bool(last.shown)):
            self.do(show)
            look(self)
        else:
            self.refusals += 1


def _changed(command: Any, **fields: Any) -> Any:
    known = {name: value for name, value in fields.items() if hasattr(command, name)}
    return type(command)(**{name: getattr(command, name) for name in _names(command)} | known)


def _names(command: Any) -> tuple[str, ...]:
    return tuple(type(command).__struct_fields__)


def _nothing(_: Croupier) -> None:
    """Do nothing after a command."""


def small_stack(ruleset: Ruleset, seed: int) -> int:
    """Return a stack of a few forced bets in whole chips, which is soon in danger."""
    if ruleset.moneyless:
        return 0
    unit = ruleset.chip_unit
    base = ruleset.base_amounts()
    price = max(base.big, base.ante, unit)
    if not isinstance(ruleset.betting, PokerNoLimit) and isinstance(ruleset.forced, Ante):
        price = base.ante
    return unit * (price // unit * (2 + 7 * seed % 29) + seed % 3)
