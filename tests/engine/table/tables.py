"""A table for tests: seeds made from a number, and answers to every decision."""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from itertools import count
from typing import Any

from msgspec.structs import replace

from engine.kit.dice import roll_pair
from engine.kit.rng import openings_digest, shuffled_pile
from engine.rulesets import CorellianSpike, Ruleset, preset, ruleset_hash
from engine.table.decider import decider
from engine.table.games.course import Course
from engine.table.games.playing import advance
from engine.table.model.commands import (
    Act,
    CallHand,
    Command,
    FieldCards,
    Improve,
    OpenHand,
    OpenTable,
    Placed,
    Seeds,
    Select,
    TakeCardTurn,
)
from engine.table.model.events import CardsDealt, DealtTo, DiceRolled, Event, ReplacementsDealt
from engine.table.model.state import State, Table
from engine.table.read.view import seen_by
from engine.table.read.view_parts import TableView
from engine.values import EntrantId, HandId, SealedCard, TableId, TournamentId

START = datetime(2026, 1, 1, 12, tzinfo=UTC)


def digest(*parts: object) -> str:
    return sha256(repr(parts).encode()).hexdigest()


def seeds(number: int, hand: int = 1, deal: int = 1) -> Seeds:
    named = (number, hand) if deal == 1 else (number, hand, deal)
    return Seeds(
        cards=digest("cards", *named),
        dice=digest("dice", *named),
        draws=digest("draws", *named),
    )


def dice_seed(shifts: Sequence[bool], *, label: str = "shift", rolls: int = 12) -> str:
    """Return a seed with doubles in exactly the rolls that *shifts* names, and none afterwards."""
    wanted = [*shifts, *[False] * (rolls - len(shifts))]
    none = openings_digest([])
    for number in count():
        seed = digest("dice", number)
        pairs = (roll_pair(bytes.fromhex(seed), label, n + 1, none) for n in range(rolls))
        if all((one == other) == want for (one, other), want in zip(pairs, wanted, strict=True)):
            return seed
    raise AssertionError


def entrant(seat: int) -> EntrantId:
    return EntrantId(f"ent_{seat:032x}")


class Floor:
    """Drives one table like the service, and keeps all its events."""

    def __init__(
        self,
        ruleset: Ruleset | str = "better_simple",
        stacks: Sequence[int] = (100, 100, 100),
        *,
        seats: Sequence[int] | None = None,
        seed: int = 1,
        seat_count: int = 10,
    ) -> None:
        self.ruleset = preset(ruleset) if isinstance(ruleset, str) else ruleset
        self.seed = seed
        self.now = START
        self.target: tuple[int, Any] | None = None
        self.script: dict[tuple[int, str], tuple[str, ...]] = {}
        """Cards by seat and ``hand`` or ``new``. They replace the cards of the seed."""
        self.state: State = decider.initial
        self.events: list[Event] = []
        self.appends: list[tuple[State, Command, tuple[Event, ...]]] = []
        places = seats or range(1, len(stacks) + 1)
        self.do(
            OpenTable(
                table=TableId(f"tbl_{1:032x}"),
                tournament=TournamentId(f"trn_{1:032x}"),
                number=1,
                ruleset=self.ruleset,
                ruleset_hash=ruleset_hash(self.ruleset),
                decision_seconds=30,
                grace_seconds=2,
                seats=tuple(
                    Placed(seat=seat, entrant=entrant(seat), stack=stack)
                    for seat, stack in zip(places, stacks, strict=True)
                ),
                seat_count=seat_count,
                now=self.now,
            )
        )

    def _scripted(self, event: Event) -> Event:
        match event:
            case DiceRolled() if self.target is not None:
                return replace(event, target=self.target[0], suit=self.target[1])
            case CardsDealt() | ReplacementsDealt() if self.script:
                zone = "hand" if isinstance(event, CardsDealt) else "new"
                return replace(event, dealt=tuple(self._dealt(part, zone) for part in event.dealt))
            case _:
                return event

    def _dealt(self, part: DealtTo, zone: str) -> DealtTo:
        faces = self.script.get((part.seat, zone))
        if faces is None:
            return part
        cards = tuple(
            SealedCard(face, card.salt, card.pile, card.position, card.audiences)
            for face, card in zip(faces, part.cards, strict=True)
        )
        return replace(part, cards=cards)

    @property
    def table(self) -> Table:
        assert isinstance(self.state, Table)
        return self.state

    def do(self, command: Command) -> tuple[Event, ...]:
        before = self.state
        happened = tuple(self._scripted(event) for event in decider.decide(before, command))
        for event in happened:
            self.state = decider.evolve(self.state, event)
        self.events += happened
        self.appends.append((before, command, happened))
        self.now += timedelta(seconds=1)
        return happened

    def open_hand(self, **options: Any) -> tuple[Event, ...]:
        number, deal = self.table.next_hand_number, self.table.next_deal
        return self.do(
            OpenHand(
                hand=HandId(f"hnd_{number:032x}"),
                seeds=options.pop("seeds", seeds(self.seed, number, deal)),
                deal=deal,
                tournament_version=1,
                tournament_head="0" * 64,
                now=self.now,
                **options,
            )
        )

    def open_stacked(
        self, top: Sequence[str], *, shifts: Sequence[bool] = (), whole: bool = True
    ) -> None:
        """
        Open a hand with a deck that begins with *top*, card by card as it is dealt.

        The shuffle of a seed moves positions, whatever cards are there. So this method arranges the
        cards before the shuffle, and the rest goes through the table itself.

        Args:
            shifts: For each card round, whether the dice show doubles. Later rolls show none.
            whole: True if the rest of the deck follows. Otherwise the deck is *top* alone.
        """
        number = self.table.next_hand_number
        label = "spike" if isinstance(self.ruleset, CorellianSpike) else "shift"
        secret = replace(seeds(self.seed, number), dice=dice_seed(shifts, label=label))
        opening = OpenHand(
            hand=HandId(f"hnd_{number:032x}"),
            seeds=secret,
            tournament_version=1,
            tournament_head="0" * 64,
            now=self.now,
        )
        opened = decider.decide(self.state, opening)[0]
        table = decider.evolve(self.state, opened)
        assert isinstance(table, Table) and table.hand is not None
        below = (card for card in table.hand.pile_cards if card not in top)
        wanted = (*top, *below) if whole else tuple(top)
        places = range(len(wanted))
        order = shuffled_pile(
            bytes.fromhex(secret.cards), table.hand.digest, 1, tuple(map(str, places))
        )
        laid = dict(zip(map(int, order.cards), wanted, strict=True))
        stacked = tuple(laid[place] for place in places)
        self.state = replace(table, hand=replace(table.hand, pile_cards=stacked))
        course = Course(self.state)
        advance(course, self.now)
        for event in course.events:
            self.state = decider.evolve(self.state, event)
        self.events += [opened, *course.events]

    def view(self, seat: int) -> TableView:
        return seen_by(self.table, entrant(seat))

    def select(self, seat: int, *cards: str) -> tuple[Event, ...]:
        return self.do(
            Select(
                entrant=entrant(seat),
                decision=self._token(),
                cards=cards,
                salt=digest("salt", seat, len(self.events)),
                now=self.now,
            )
        )

    def improve(self, seat: int, *cards: str) -> tuple[Event, ...]:
        return self.do(
            Improve(
                entrant=entrant(seat),
                decision=self._token(),
                cards=cards,
                salt=digest("salt", seat, len(self.events)),
                now=self.now,
            )
        )

    def act(self, seat: int, verb: Any, amount: int | None = None) -> tuple[Event, ...]:
        return self.do(
            Act(
                entrant=entrant(seat),
                decision=self._token(),
                verb=verb,
                amount=amount,
                now=self.now,
            )
        )

    def turn(
        self, seat: int, verb: Any, card: str | None = None, source: Any = None
    ) -> tuple[Event, ...]:
        return self.do(
            TakeCardTurn(
                entrant=entrant(seat),
                decision=self._token(),
                verb=verb,
                card=card,
                source=source,
                salt=digest("salt", seat, len(self.events)),
                now=self.now,
            )
        )

    def field(self, seat: int, *cards: str) -> tuple[Event, ...]:
        return self.do(
            FieldCards(entrant=entrant(seat), decision=self._token(), cards=cards, now=self.now)
        )

    def call_hand(self, seat: int) -> tuple[Event, ...]:
        return self.do(CallHand(entrant=entrant(seat), decision=self._token(), now=self.now))

    def _token(self) -> str:
        assert self.table.decision is not None
        return self.table.decision.token

    def everyone_selects(self, choose: Callable[[TableView], Sequence[str]]) -> None:
        decision = self.table.decision
        assert decision is not None and decision.phase == "select"
        for seat in decision.seats:
            self.select(seat, *choose(self.view(seat)))

    def everyone_improves(self, choose: Callable[[TableView], Sequence[str]]) -> None:
        decision = self.table.decision
        assert decision is not None and decision.phase == "improve"
        for seat in decision.seats:
            self.improve(seat, *choose(self.view(seat)))

    def stacks(self) -> dict[int, int]:
        return {placed.seat: placed.stack for placed in self.table.entrants()}


def keep_all(view: TableView) -> Sequence[str]:
    return () if view.me is None else view.me.cards


def add_nothing(view: TableView) -> Sequence[str]:
    return ()
