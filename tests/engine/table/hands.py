"""Hands of players named by letters, with cards that give a chosen ranking."""

from collections.abc import Mapping
from typing import Any

from engine.rulesets import Ruleset, resolve
from engine.table.model import events
from tests.engine.table.tables import Floor, entrant

_BARE = {
    "forced": {"kind": "none"},
    "escalation": {"kind": "none"},
    "first_dealer": "host_choice",
    "first_actor": ["left_of_button", "left_of_button"],
    "betting": {"kind": "poker_nl", "min_open": "table_min"},
}


def bare(**overrides: Any) -> Ruleset:
    """Return Better Coruscant Shift without forced bets, in which the lowest seat deals first."""
    return resolve("better_simple", {**_BARE, **overrides})


def of(happened: Any, kind: type) -> Any:
    """Return the first event of one kind."""
    return next(event for event in happened if isinstance(event, kind))


def every(happened: Any, kind: type) -> list[Any]:
    """Return all events of one kind."""
    return [event for event in happened if isinstance(event, kind)]


class Company:
    """
    Players named by letters, in the order in which they act. The last one deals.

    The target is 0, the suit square. *ranking* lists the best hand first and tied ones together:
    ``"A BC"``. Seats keep the cards that make this ranking and add no new ones.
    """

    def __init__(
        self,
        ruleset: Ruleset,
        stacks: Mapping[str, int],
        ranking: str = "",
        *,
        seats: Mapping[str, int] | None = None,
        **options: Any,
    ) -> None:
        names = tuple(stacks)
        self.seats = dict(
            seats or {name: index + 2 for index, name in enumerate(names[:-1])} | {names[-1]: 1}
        )
        by_seat = {self.seats[name]: stack for name, stack in stacks.items()}
        self.floor = Floor(
            ruleset, [by_seat[seat] for seat in sorted(by_seat)], seats=sorted(by_seat), **options
        )
        self.keeps: dict[int, tuple[str, ...]] = {}
        self.rank(ranking or " ".join(names))

    def rank(self, ranking: str) -> None:
        """Set the cards of the next hand."""
        self.floor.target = (0, "square")
        groups = ranking.split()
        unranked = [name for name in self.seats if name not in "".join(groups)]
        for rank, group in enumerate([*groups, *unranked]):
            assert rank == 0 or len(group) <= 2
            for tied, name in enumerate(group):
                n = self.seats[name]
                cards = (f"C+{n:02}", f"T-{n:02}", f"C-{n:02}", f"T+{n:02}")
                far = f"S{'+-'[tied]}{rank:02}" if rank else f"S+{11 - n:02}"
                self.floor.script[n, "hand"] = (*cards, far)
                self.floor.script[n, "new"] = () if rank else (f"S-{11 - n:02}",)
                self.keeps[n] = (*cards, far) if rank else cards

    def name(self, seat: int) -> str:
        return next(name for name, own in self.seats.items() if own == seat)

    def deal(self, **options: Any) -> tuple[events.Event, ...]:
        """Open a hand and let everybody select."""
        happened = self.floor.open_hand(**options)
        return (*happened, *self.select())

    def select(self) -> tuple[events.Event, ...]:
        happened: tuple[events.Event, ...] = ()
        decision = self.floor.table.decision
        assert decision is not None and decision.phase == "select"
        for seat in decision.seats:
            happened += self.floor.select(seat, *self.keeps[seat])
        return happened

    def improve(self) -> tuple[events.Event, ...]:
        """Let everybody add no cards."""
        happened: tuple[events.Event, ...] = ()
        decision = self.floor.table.decision
        assert decision is not None and decision.phase == "improve"
        for seat in decision.seats:
            happened += self.floor.improve(seat)
        return happened

    def fold_round(self, **options: Any) -> tuple[events.Event, ...]:
        """Play a hand in which everybody folds to the last player."""
        happened = self.floor.open_hand(**options)
        decision = self.floor.table.decision
        assert decision is not None
        for seat in decision.seats:
            me = self.floor.view(seat).me
            assert me is not None
            happened += self.floor.select(seat, *me.cards)
        while self.floor.table.decision is not None:
            happened += self.floor.act(self.floor.table.decision.seats[0], "fold")
        return happened

    def bets(self, *actions: str) -> tuple[events.Event, ...]:
        """Take actions such as ``"A call"`` and ``"B 20"`` (raise to 20), in turn."""
        happened: tuple[events.Event, ...] = ()
        for action in actions:
            name, what = action.split()
            seat = self.seats[name]
            decision = self.floor.table.decision
            assert decision is not None and decision.seats == (seat,), f"not the turn of {name}"
            if what.isdecimal():
                happened += self.floor.act(seat, "raise_to", int(what))
            else:
                happened += self.floor.act(seat, what)
        return happened

    def check_down(self) -> tuple[events.Event, ...]:
        """Add no cards, and check the second street to the end of the hand."""
        happened = self.improve()
        while self.floor.table.decision is not None:
            happened += self.floor.act(self.floor.table.decision.seats[0], "check")
        return happened

    def legal(self, name: str) -> dict[str, Any]:
        """Return the legal actions of *name*, by verb."""
        return {action.verb: action for action in self.floor.view(self.seats[name]).legal}

    def turn(self) -> str:
        decision = self.floor.table.decision
        assert decision is not None and decision.phase == "bet"
        return self.name(decision.seats[0])

    def stacks(self) -> dict[str, int]:
        """Return stacks by name. A player who is out has 0."""
        left = self.floor.stacks()
        return {name: left[seat] for name, seat in self.seats.items() if seat in left}

    def pots(self, happened: Any) -> list[tuple[int, str]]:
        formed = of(happened, events.PotsFormed)
        order = list(self.seats)
        return [
            (pot.chips, "".join(sorted(map(self.name, pot.eligible), key=order.index)))
            for pot in formed.pots
        ]

    def won(self, happened: Any) -> dict[str, int]:
        """Return the chips that each winner got from all pots, without uncalled bets."""
        total: dict[str, int] = {}
        for award in every(happened, events.PotAwarded):
            for share in award.shares:
                name = self.name(share.seat)
                total[name] = total.get(name, 0) + share.chips
        return total

    @property
    def carry(self) -> int:
        return self.floor.table.carry

    def entrant(self, name: str) -> Any:
        return entrant(self.seats[name])
