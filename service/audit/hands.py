"""
One table's hands, checked from their events alone: seeds, deck, dice, cards, pots, chips.

The only thing taken from the engine is the order of a deck; generator and pots
are written a second time beside this module.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from engine.cards import deck, in_deck_order
from engine.rulesets import CorellianSpike
from engine.table import events
from engine.table.event_parts import OpenCard
from engine.table.state import Table
from engine.values import SealedCard
from service.audit import generator, pots
from service.audit.floors import FloorAudit
from service.audit.generator import Card
from service.audit.report import Findings


@dataclass
class Hand:
    """What has been seen of the hand in play."""

    opened: events.HandOpened
    openings: bytes
    piles: dict[int, list[Card]] = field(default_factory=dict)
    dealt: dict[int, set[tuple[int, int]]] = field(default_factory=dict)
    """Places of the cards each seat was given."""

    wagers: dict[int, int] = field(default_factory=dict)
    spent: dict[int, int] = field(default_factory=dict)
    """Chips that are no wager: antes into the Sabacc pot, fees, penalties."""

    dead: int = 0
    """Fees in the main pot."""

    sabacc_pot: int = 0
    pairs: int = 0
    """Rolls of two common dice."""

    live: set[int] = field(default_factory=set)
    back: dict[int, int] = field(default_factory=dict)
    won: dict[int, int] = field(default_factory=dict)
    awarded: int = 0
    remainder: int = 0
    cubes: int = 0


class HandAudit:
    """
    Follows the events of one table.

    Args:
        floor: The audit of the tournament, as far as it has been read; may be asked for late.
    """

    def __init__(
        self, stream: str, findings: Findings, floor: Callable[[], FloorAudit | None]
    ) -> None:
        self._stream = stream
        self._findings = findings
        self._floor = floor
        self._number = 0
        self._deck: tuple[str, ...] = ()
        self._position = 0
        self.hand: Hand | None = None
        self._before: Hand | None = None
        """The hand before, whose winner may still show it."""

        self.chips = 0
        """Stacks and carry of the table between hands."""

        self.hands = 0
        self.deals_voided = 0
        self.voided: Hand | None = None
        """The deal voided last, while its hand waits to be dealt anew."""

    def see(self, event: Any, position: int, before: Any) -> None:
        """Check *event*, which happened in the engine's state *before*."""
        self._position = position
        handler = _HANDLERS.get(type(event))
        if handler is not None:
            handler(self, event, before)

    def _hold(self, name: str, held: bool, what: str, count: int = 1) -> bool:
        return self._findings.hold(name, held, self._position, self._stream, what, count)

    def _table_opened(self, event: events.TableOpened, _before: object) -> None:
        self._number = event.number
        self._deck = deck(event.ruleset.deck)
        self.chips = sum(placed.stack for placed in event.seats)

    def _hand_opened(self, event: events.HandOpened, _before: object) -> None:
        openings = generator.openings_digest(
            (opening.seat, bytes.fromhex(opening.value)) for opening in event.openings
        )
        self._counted(event)
        hand = Hand(event, openings, sabacc_pot=event.sabacc_pot)
        self.hand = hand
        hand.live = {books.seat for books in event.seats if books.dealt}
        hand.wagers = dict.fromkeys(hand.live, 0)
        hand.piles[1] = generator.pile(self._seed("cards"), openings, 1, self._deck)
        drawn = generator.pile_root(1, hand.piles[1])
        self._hold("decks", drawn == event.deck_root, "the deck is not the one its seed gives")
        self._seeds(event)
        self._level(event)
        chips = sum(books.stack for books in event.seats) + event.carry + event.sabacc_pot
        self._hold("hands", chips == self.chips, f"opened with {chips} chips, not {self.chips}")

    def _counted(self, event: events.HandOpened) -> None:
        """Check that no deal is passed over, and that a hand is dealt anew exactly."""
        before, self.voided = self.voided, None
        if before is None:
            first = event.deal == 1 and event.number == self.hands + 1
            self._hold("deals", first, f"deal {event.deal} of hand {event.number} after none")
            return
        opened = before.opened
        follows = (event.number, event.deal) == (opened.number, opened.deal + 1)
        self._hold("deals", follows, f"deal {event.deal} follows deal {opened.deal}")
        same = [_replayed(each) for each in (event, opened)]
        self._hold("deals", same[0] == same[1], "the hand is not dealt anew as it was")

    def _deal_voided(self, event: events.DealVoided, _before: object) -> None:
        hand = self._now()
        for card in event.cards:
            self._open("cards", card)
        places = {(card.pile, card.position) for card in event.cards}
        whole = {(pile, at) for pile, cards in hand.piles.items() for at in range(len(cards))}
        self._hold("deals", places == whole, "not every card of a voided deal is open")
        deck_opened = [Card(c.card, bytes.fromhex(c.salt)) for c in event.cards if c.pile == 1]
        fouled = generator.pile_root(1, deck_opened) != hand.opened.deck_root
        claimed = event.cause != "fouled_deck" or fouled
        self._hold("deals", claimed, "the deck called fouled is the one committed to")
        due = {seat: chips + hand.spent.get(seat, 0) for seat, chips in hand.wagers.items()}
        back = {share.seat: share.chips for share in event.returned}
        paid_back = {seat: chips for seat, chips in due.items() if chips} == back
        before = (hand.opened.carry, hand.opened.sabacc_pot) == (event.carry, event.sabacc_pot)
        self._hold("deals", paid_back and before, "a voided deal gives back other chips")
        self.deals_voided += 1
        self.voided, self._before, self.hand = hand, None, None

    def _seed(self, use: str) -> bytes:
        return bytes.fromhex(getattr(self._now().opened.seeds.value, use))

    def _seeds(self, event: events.HandOpened) -> None:
        floor = self._floor()
        masters = None if floor is None else floor.masters
        for use in ("cards", "dice", "draws"):
            seed = self._seed(use)
            committed = generator.seed_commitment(seed) == getattr(event.commitments, use)
            self._hold("seeds", committed, f"the seed for {use} is not the one committed to")
            if masters is not None:
                master = bytes.fromhex(masters.cards if use == "cards" else masters.open)
                derived = generator.seed(master, use, self._number, event.number, event.deal)
                self._hold("seeds", derived == seed, f"the seed for {use} is not its master's")

    def _level(self, event: events.HandOpened) -> None:
        """Compare the hand's level with the newest one its tournament had set by then."""
        floor, level = self._floor(), event.level
        due = None if floor is None else floor.level_at(event.tournament_version)
        named = None
        if level.set_by is not None:
            named = (level.set_by, level.number, level.amounts)
        if due is not None or named is not None:
            self._hold("levels", named == due, f"opened at level {level.number}, not {due}")

    def _dice_rolled(self, event: events.DiceRolled, _before: object) -> None:
        rolled = generator.dice(self._seed("dice"), self._now().openings)
        self._hold("dice", rolled == (event.target, event.suit), f"the dice show {rolled}")

    def _pair_rolled(self, event: events.ShiftRolled, before: Table) -> None:
        hand = self._now()
        hand.pairs += 1
        label = "spike" if isinstance(before.ruleset, CorellianSpike) else "shift"
        rolled = generator.pair(self._seed("dice"), hand.openings, label, hand.pairs)
        fair = (rolled, rolled[0] == rolled[1]) == (event.dice, event.doubles)
        self._hold("dice", fair, f"the dice show {rolled}")

    def _card_turn(self, event: events.CardTurnTaken, _before: object) -> None:
        hand = self._now()
        hand.spent[event.seat] = hand.spent.get(event.seat, 0) + event.fee
        hand.dead += event.fee
        if event.verb == "junk":
            hand.live.discard(event.seat)
        if event.shown is not None:
            self._shown(event.seat, event.shown)
        for card in (event.drawn, event.taken):
            if card is not None:
                hand.dealt.setdefault(event.seat, set()).add((card.pile, card.position))
        if event.drawn is not None:
            self._in_place(event.drawn)
        if event.taken is not None:
            self._open("cards", event.taken)

    def _fielded(self, event: events.CardsFielded, _before: object) -> None:
        for card in event.cards:
            self._shown(event.seat, card)

    def _flipped(
        self, event: events.DiscardFlipped | events.MarketCardLaid, _before: object
    ) -> None:
        self._open("cards", event.card)

    def _ranked(self, event: events.HandsRanked, _before: object) -> None:
        for hand in event.hands:
            for card in hand.cards:
                self._shown(hand.seat, card)

    def _demise(self, event: events.DemiseDealt, _before: object) -> None:
        for dealt in event.dealt:
            self._open("cards", dealt.card)

    def _penalty(self, event: events.PenaltyPaid, _before: object) -> None:
        hand = self._now()
        hand.spent[event.seat] = hand.spent.get(event.seat, 0) + event.paid
        hand.sabacc_pot += event.paid

    def _sabacc_awarded(self, event: events.SabaccPotAwarded, _before: object) -> None:
        hand = self._now()
        there = event.chips <= hand.sabacc_pot
        self._hold("pots", there, f"the Sabacc pot holds {hand.sabacc_pot} chips")
        hand.won[event.seat] = hand.won.get(event.seat, 0) + event.chips
        hand.sabacc_pot -= event.chips

    def _open(self, name: str, card: OpenCard) -> None:
        self._placed(name, card.pile, card.position, card.card, bytes.fromhex(card.salt))

    def _shown(self, seat: int, card: OpenCard) -> None:
        """Check a card that a seat turned over: it lies where it says, and was dealt to it."""
        self._open("reveals", card)
        own = (card.pile, card.position) in self._now().dealt.get(seat, set())
        self._hold("reveals", own, f"seat {seat} shows a card it was not dealt")

    def _cards_dealt(self, event: Any, _before: object) -> None:
        for dealt in event.dealt:
            places = self._now().dealt.setdefault(dealt.seat, set())
            for card in dealt.cards:
                self._in_place(card)
                places.add((card.pile, card.position))

    def _in_place(self, card: SealedCard) -> None:
        self._placed("cards", card.pile, card.position, card.card, card.salt)

    def _placed(self, name: str, pile: int, position: int, face: str, salt: bytes) -> None:
        cards = self._now().piles.get(pile, [])
        there = cards[position] if 0 <= position < len(cards) else None
        self._hold(name, there == (face, salt), f"pile {pile} has another card at {position}")

    def _pile_committed(self, event: events.PileCommitted, before: Table) -> None:
        hand = self._now()
        discards: Sequence[str] = () if before.hand is None else before.hand.recyclable
        made = generator.pile(
            self._seed("cards"), hand.openings, event.pile, in_deck_order(discards)
        )
        hand.piles[event.pile] = made
        drawn = generator.pile_root(event.pile, made)
        self._hold("decks", drawn == event.root, "the new pile is not the one its seed gives")

    def _posted(self, event: events.ForcedBetsPosted, _before: object) -> None:
        hand = self._now()
        for post in event.posts:
            if post.kind == "sabacc_ante":
                hand.spent[post.seat] = post.chips
                hand.sabacc_pot += post.chips
            elif post.kind == "table_ante":
                hand.spent[post.seat] = post.chips
                hand.dead += post.chips
            else:
                hand.wagers[post.seat] += post.chips

    def _killed(self, event: events.HandKilled | events.HandQuit, _before: object) -> None:
        self._now().live.discard(event.seat)

    def _acted(self, event: events.SeatActed, _before: object) -> None:
        hand = self._now()
        hand.wagers[event.seat] += event.paid
        if event.verb == "fold":
            hand.live.discard(event.seat)

    def _revealed(self, event: events.HandsRevealed, _before: object) -> None:
        for shown in event.hands:
            for card in shown.cards:
                self._shown(shown.seat, card)

    def _drawn_off(self, event: events.DrawOffDealt, _before: object) -> None:
        for drawn in event.cards:
            self._open("cards", drawn.card)

    def _cube_rolled(self, event: events.CubeRolled, _before: object) -> None:
        hand = self._now()
        hand.cubes += 1
        winner = generator.cube(self._seed("draws"), hand.openings, hand.cubes, event.seats)
        self._hold("cubes", winner == event.winner, f"the cube falls to seat {winner}")

    def _returned(self, event: events.UnmatchedReturned, _before: object) -> None:
        hand = self._now()
        due = pots.returned(hand.wagers, hand.live)
        self._hold("pots", due == (event.seat, event.chips), f"unmatched chips are {due}")
        hand.back[event.seat] = event.chips

    def _formed(self, event: events.PotsFormed, _before: object) -> None:
        hand = self._now()
        rest = {seat: chips - hand.back.get(seat, 0) for seat, chips in hand.wagers.items()}
        due = pots.pots(rest, hand.live, hand.opened.carry + hand.dead)
        formed = [(pot.chips, pot.eligible) for pot in event.pots]
        self._hold("pots", due == formed, f"the wagers give pots of {[pot[0] for pot in due]}")

    def _awarded(self, event: events.PotAwarded, _before: object) -> None:
        hand = self._now()
        paid = sum(share.chips for share in event.shares)
        held = paid + event.remainder == event.chips
        self._hold("pots", held, f"pot {event.pot} pays {paid} of {event.chips}")
        for share in event.shares:
            hand.won[share.seat] = hand.won.get(share.seat, 0) + share.chips
        hand.remainder += event.remainder

    def _settled(self, event: events.HandSettled, _before: object) -> None:
        hand = self._now()
        self.hands += 1
        due = {
            books.seat: books.stack
            - hand.wagers.get(books.seat, 0)
            - hand.spent.get(books.seat, 0)
            + hand.back.get(books.seat, 0)
            + hand.won.get(books.seat, 0)
            for books in hand.opened.seats
        }
        stacks = {settled.seat: settled.stack for settled in event.stacks}
        wrong = [seat for seat in due if stacks.get(seat) != due[seat]]
        self._hold("hands", due == stacks, f"the stacks of seats {wrong} do not add up")
        pot = event.sabacc_pot == hand.sabacc_pot
        self._hold("hands", pot, f"the Sabacc pot holds {hand.sabacc_pot} chips")
        chips = sum(stacks.values()) + event.carry + event.sabacc_pot
        self._hold("hands", chips == self.chips, f"settled with {chips} chips, not {self.chips}")
        self.chips = chips
        self._before, self.hand = hand, None

    def _winner_shown(self, event: events.HandShown, _before: object) -> None:
        self.hand = self._before
        for card in event.cards:
            self._shown(event.seat, card)
        self.hand = None

    def _vacated(self, event: events.SeatsVacated, _before: object) -> None:
        left = sum(placed.stack for placed in event.departures)
        self.chips -= left + event.carry + event.sabacc_pot

    def _seated(self, event: events.ArrivalsSeated, _before: object) -> None:
        came = sum(placed.stack for placed in event.arrivals)
        self.chips += came + event.carry + event.sabacc_pot

    def _bought(self, event: events.ChipsBought, _before: object) -> None:
        self.chips += event.chips

    def _given_back(self, event: events.ChipsReturned, _before: object) -> None:
        self.chips -= event.chips

    def _now(self) -> Hand:
        if self.hand is None:
            raise LookupError("an event of a hand outside a hand")
        return self.hand


def _replayed(opened: events.HandOpened) -> tuple[Any, ...]:
    """Return what the deals of one hand have in common."""
    seats = [
        (each.seat, each.entrant, each.stack, each.dealt, each.penalty) for each in opened.seats
    ]
    posts = (opened.button, opened.starter, opened.small_blind, opened.big_blind)
    return opened.hand, seats, posts, opened.level, opened.last


_HANDLERS: dict[type, Callable[[HandAudit, Any, Any], None]] = {
    events.TableOpened: HandAudit._table_opened,
    events.HandOpened: HandAudit._hand_opened,
    events.DiceRolled: HandAudit._dice_rolled,
    events.CardsDealt: HandAudit._cards_dealt,
    events.ReplacementsDealt: HandAudit._cards_dealt,
    events.ShiftDealt: HandAudit._cards_dealt,
    events.ShiftRolled: HandAudit._pair_rolled,
    events.CardTurnTaken: HandAudit._card_turn,
    events.CardsFielded: HandAudit._fielded,
    events.DiscardFlipped: HandAudit._flipped,
    events.MarketCardLaid: HandAudit._flipped,
    events.HandsRanked: HandAudit._ranked,
    events.DemiseDealt: HandAudit._demise,
    events.PenaltyPaid: HandAudit._penalty,
    events.SabaccPotAwarded: HandAudit._sabacc_awarded,
    events.PileCommitted: HandAudit._pile_committed,
    events.ForcedBetsPosted: HandAudit._posted,
    events.HandKilled: HandAudit._killed,
    events.HandQuit: HandAudit._killed,
    events.SeatActed: HandAudit._acted,
    events.HandsRevealed: HandAudit._revealed,
    events.DrawOffDealt: HandAudit._drawn_off,
    events.CubeRolled: HandAudit._cube_rolled,
    events.UnmatchedReturned: HandAudit._returned,
    events.PotsFormed: HandAudit._formed,
    events.PotAwarded: HandAudit._awarded,
    events.HandSettled: HandAudit._settled,
    events.DealVoided: HandAudit._deal_voided,
    events.HandShown: HandAudit._winner_shown,
    events.ChipsBought: HandAudit._bought,
    events.ChipsReturned: HandAudit._given_back,
    events.SeatsVacated: HandAudit._vacated,
    events.ArrivalsSeated: HandAudit._seated,
}
