"""
One table's hands, checked from their events alone: seeds, deck, dice, cards, pots, chips.

Only the order of a new deck comes from the engine. The generator and the pots are
written a second time beside this module.
"""

from collections.abc import Mapping

from engine.kit.beacon import Chain
from engine.kit.cards import deck
from engine.table.model import events
from engine.table.model.state import State
from service.audit.play import beacon, generator
from service.audit.play.cards import CARDS, check_open, check_shown
from service.audit.play.chips import CHIPS
from service.audit.play.drawn import drawn
from service.audit.said import NO_FAULT, said
from service.audit.seen import Hand, Handlers, Seen


class HandAudit(Seen):
    """Follows the events of one table from hand to hand."""

    def see(self, event: events.Event, position: int, before: State) -> None:
        """Check *event*. *before* is the table's state before it."""
        self.position = position
        handler = _HANDLERS.get(type(event))
        if handler is not None:
            handler(self, event, before)

    def _table_opened(self, event: events.TableOpened, _before: object) -> None:
        self.number = event.number
        self.deck = deck(event.ruleset.deck)
        self.chips = sum(placed.stack for placed in event.seats)

    def _hand_opened(self, event: events.HandOpened, _before: object) -> None:
        openings = generator.openings_digest(
            (opening.seat, bytes.fromhex(opening.value)) for opening in event.openings
        )
        self._counted(event)
        self.openings += len(event.openings)
        self.omissions += len(event.omissions)
        tournament = self.tournament()
        if tournament is not None:
            tournament.entropy.hand(event, self.position)
        hand = Hand(event, openings, sabacc_pot=event.sabacc_pot)
        self.hand = hand
        hand.live = {books.seat for books in event.seats if books.dealt}
        hand.wagers = dict.fromkeys(hand.live, 0)
        if self._settled_before(
            event, None if tournament is None else tournament.entropy.beacon.chain
        ):
            self._decked(hand)
        self._seeds(event)
        self._level(event)
        chips = sum(books.stack for books in event.seats) + event.carry + event.sabacc_pot
        self.hold(
            "hands",
            chips == self.chips,
            said("opened with %(chips)s chips, not %(due)s", chips=chips, due=self.chips),
        )

    def _decked(self, hand: Hand) -> None:
        """Check that the deck follows from seed, openings and beacon."""
        pile = drawn(self.seed("cards"), hand.openings, 1, self.deck)
        hand.piles[1] = pile
        held = pile.root() == hand.opened.deck_root
        self.hold("decks", held, said("the deck does not follow from its seed"))

    def _settled_before(self, event: events.HandOpened, chain: Chain | None) -> bool:
        """Return whether the deal uses no pulse. If it does, compare it with the awaited deal."""
        awaited = self.awaited
        if awaited is None:
            self.hold("entropy", chain is None, said("dealt without the beacon"), count=0)
            return True
        numbers = (event.number, event.deal) == (awaited.hand_number, awaited.deal)
        mixed = (event.openings, event.omissions) == (awaited.openings, awaited.omissions)
        self.hold(
            "entropy", numbers and mixed, said("the openings changed after the pulse was named")
        )
        return False

    def _beacon_awaited(self, event: events.TableBeaconAwaited, _before: object) -> None:
        self.lapsed += self.awaited is not None
        self.awaited = event
        tournament = self.tournament()
        chain = None if tournament is None else tournament.entropy.beacon.chain
        self.hold("entropy", chain == event.chain, said("a pulse of another beacon was named"))
        right = event.round == beacon.due(event.chain, event.at)
        self.hold("entropy", right, said("another pulse was due for this deal"))

    def _beacon_mixed(self, event: events.TableBeaconMixed, _before: object) -> None:
        hand, awaited, self.awaited = self.now(), self.awaited, None
        named = awaited is not None and (event.chain, event.pulse.round) == (
            awaited.chain,
            awaited.round,
        )
        self.hold("entropy", named, said("this pulse was not named for this deal"))
        fault = beacon.fault_of(event.chain, event.pulse)
        self.hold("entropy", fault is None, fault or NO_FAULT)
        opened = ((each.seat, bytes.fromhex(each.value)) for each in hand.opened.openings)
        hand.openings = generator.openings_digest(opened, beacon.added(event.chain, event.pulse))
        self._decked(hand)

    def _counted(self, event: events.HandOpened) -> None:
        """Check that no deal is left out, and that a voided hand is dealt again unchanged."""
        before, self.voided = self.voided, None
        if before is None:
            first = event.deal == 1 and event.number == self.hands + 1
            self.hold(
                "deals",
                first,
                said(
                    "deal %(deal)s of hand %(number)s is out of order",
                    deal=event.deal,
                    number=event.number,
                ),
            )
            return
        opened = before.opened
        follows = (event.number, event.deal) == (opened.number, opened.deal + 1)
        self.hold(
            "deals",
            follows,
            said("deal %(deal)s follows deal %(before)s", deal=event.deal, before=opened.deal),
        )
        same = _replayed(event, {}) == _replayed(opened, before.penalties)
        self.hold("deals", same, said("the hand dealt again differs from the voided one"))

    def _deal_voided(self, event: events.DealVoided, _before: object) -> None:
        hand = self.now()
        for card in event.cards:
            check_open(self, "cards", card)
        places = {(card.pile, card.position) for card in event.cards}
        piles = hand.piles.values()
        whole = {(pile.number, at) for pile in piles for at in range(len(pile.cards))}
        self.hold("deals", places == whole, said("not every card of a voided deal is open"))
        opened = [card for card in event.cards if card.pile == 1]
        faces, salts = [c.card for c in opened], [bytes.fromhex(c.salt) for c in opened]
        fouled = generator.pile_root(1, faces, salts) != hand.opened.deck_root
        claimed = event.cause != "fouled_deck" or fouled
        self.hold("deals", claimed, said("a deck was called fouled, but it matches its commitment"))
        due = {seat: chips + hand.spent.get(seat, 0) for seat, chips in hand.wagers.items()}
        back = {share.seat: share.chips for share in event.returned}
        paid_back = {seat: chips for seat, chips in due.items() if chips} == back
        before = (hand.opened.carry, hand.opened.sabacc_pot) == (event.carry, event.sabacc_pot)
        self.hold("deals", paid_back and before, said("a voided deal gives back the wrong chips"))
        self.deals_voided += 1
        self.voided, self.before, self.hand = hand, None, None

    def _seeds(self, event: events.HandOpened) -> None:
        tournament = self.tournament()
        masters = None if tournament is None else tournament.masters
        for use in ("cards", "dice", "draws"):
            seed = self.seed(use)
            committed = generator.seed_commitment(seed) == getattr(event.commitments, use)
            self.hold(
                "seeds",
                committed,
                said("the seed for %(use)s does not match its commitment", use=use),
            )
            if masters is not None:
                master = bytes.fromhex(masters.cards if use == "cards" else masters.open)
                derived = generator.seed(master, use, self.number, event.number, event.deal)
                self.hold(
                    "seeds",
                    derived == seed,
                    said("the seed for %(use)s is not from its master", use=use),
                )

    def _level(self, event: events.HandOpened) -> None:
        """Compare the hand's level with the tournament's newest level at that time."""
        if event.deal > 1:
            return  # a hand dealt again keeps its level, and that is compared elsewhere
        tournament, level = self.tournament(), event.level
        due = None if tournament is None else tournament.level_at(event.tournament_version)
        named = None
        if level.set_by is not None:
            named = (level.set_by, level.number, level.amounts)
        if due is not None or named is not None:
            self.hold(
                "levels",
                named == due,
                said("opened at level %(level)s, not %(due)s", level=level.number, due=due),
            )

    def _settled(self, event: events.HandSettled, _before: object) -> None:
        hand = self.now()
        self.hands += 1
        self.hold(
            "entropy", self.awaited is None, said("a pulse was named and not mixed in"), count=0
        )
        due = {
            books.seat: books.stack
            - hand.wagers.get(books.seat, 0)
            - hand.spent.get(books.seat, 0)
            + hand.back.get(books.seat, 0)
            + hand.won.get(books.seat, 0)
            for books in hand.opened.seats
        }
        if event.ending == "showdown":
            closed = sorted(hand.live - hand.shown)
            self.hold(
                "opened",
                not closed,
                said("seats %(closed)s came to the showdown and showed nothing", closed=closed),
            )
        counted = event.hands == self.hands
        self.hold(
            "hands",
            counted,
            said(
                "the table counts this hand as number %(hands)s, the audit as %(counted)s",
                hands=event.hands,
                counted=self.hands,
            ),
        )
        stacks = {settled.seat: settled.stack for settled in event.stacks}
        wrong = [seat for seat in due if stacks.get(seat) != due[seat]]
        self.hold(
            "hands", due == stacks, said("the stacks of seats %(wrong)s do not add up", wrong=wrong)
        )
        pot = event.sabacc_pot == hand.sabacc_pot
        self.hold("hands", pot, said("the Sabacc pot holds %(chips)s chips", chips=hand.sabacc_pot))
        chips = sum(stacks.values()) + event.carry + event.sabacc_pot
        self.hold(
            "hands",
            chips == self.chips,
            said("settled with %(chips)s chips, not %(due)s", chips=chips, due=self.chips),
        )
        self.chips = chips
        self.before, self.hand = hand, None

    def _penalty_imposed(self, event: events.PenaltyImposed, _before: object) -> None:
        hand = self.hand or self.voided
        if hand is not None:
            hand.penalties[event.seat] = hand.penalties.get(event.seat, 0) + event.hands

    def _winner_shown(self, event: events.HandShown, _before: object) -> None:
        self.hand = self.before
        for card in event.cards:
            check_shown(self, event.seat, card)
        self.hand = None


def _replayed(opened: events.HandOpened, given: Mapping[int, int]) -> tuple[object, ...]:
    """
    Return the facts that all deals of one hand must share.

    Args:
        given: By seat, the penalty hands given during this deal. They count from the next deal.
    """
    seats = [
        (each.seat, each.entrant, each.stack, each.dealt, each.penalty + given.get(each.seat, 0))
        for each in opened.seats
    ]
    posts = (opened.button, opened.starter, opened.small_blind, opened.big_blind)
    return opened.hand, seats, posts, opened.level, opened.last


NEEDS_BEFORE = frozenset((events.PileCommitted,))
"""Events checked against the state right before them, even within a command."""

_HANDLERS: Handlers[HandAudit] = {
    **CARDS,
    **CHIPS,
    events.TableOpened: HandAudit._table_opened,
    events.HandOpened: HandAudit._hand_opened,
    events.TableBeaconAwaited: HandAudit._beacon_awaited,
    events.TableBeaconMixed: HandAudit._beacon_mixed,
    events.HandSettled: HandAudit._settled,
    events.DealVoided: HandAudit._deal_voided,
    events.PenaltyImposed: HandAudit._penalty_imposed,
    events.HandShown: HandAudit._winner_shown,
}

HANDLED = frozenset(_HANDLERS)
"""Events that :meth:`HandAudit.see` checks. All others are passed over."""
