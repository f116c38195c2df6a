"""
One table in memory, from its first hand until one seat has all chips.

Players get the view that the API would give their seat, and answer with the API's actions. The
cards follow from the seed, so a game can be repeated.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Final, Literal, Protocol

import msgspec

from engine.errors import CommandRejected
from engine.rulesets import preset, ruleset_hash
from engine.table.decider import decider
from engine.table.model.commands import (
    ComeBack,
    Command,
    OpenHand,
    OpenTable,
    Placed,
    Seeds,
    TimeOut,
)
from engine.table.model.errors import TooFewStacks
from engine.table.model.state import State, Table
from engine.table.read.view import seen_by
from engine.values import EntrantId, HandId, TableId, TournamentId
from service.api.table.actions import action_in
from service.api.table.commanding import command_of
from service.api.table.views import read_of
from service.base.documents import Document
from service.log.states import Loaded

NOON: Final = datetime(2026, 1, 1, 12, tzinfo=UTC)
HANDS_MAX: Final = 60
"""The number of hands after which a game ends and stacks decide."""

DECISION_SECONDS: Final = 30
GRACE_SECONDS: Final = 1
_STACK: Final = 100
"""The chips in rulesets without a starting stack."""

_LEAGUE: Final = f"lge_{1:032x}"
_NO_HEAD: Final = "0" * 64


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """A decision that a player did not answer with a legal action. The clock answered instead."""

    kind: Literal["refused", "malformed", "late", "ended"]
    """
    ``refused`` by the rules, ``malformed`` for something that is no action, ``late`` for an
    answer after the deadline, ``ended`` for a program that stopped or raised an error.
    """

    code: str
    """The code of the refusal, as the API would answer it."""

    detail: str
    decision: str
    phase: str
    action: Document | None
    """The answer, or None without one."""

    legal: tuple[str, ...]
    """The legal verbs."""


class NoAnswer(Exception):
    """
    The player gave no answer.

    Args:
        kind: As in :class:`Fault`.
        detail: A sentence for people.
    """

    def __init__(self, kind: Literal["late", "ended", "malformed"], detail: str) -> None:
        super().__init__(detail)
        self.kind = kind
        self.detail = detail


class Player(Protocol):
    """A player of a seat."""

    def choose(self, view: Document) -> Document:
        """
        Return an action for a view with an open decision.

        Raises:
            NoAnswer: If there is none in time.
        """

    def told(self, fault: Fault) -> None:
        """Note that a decision was not answered with a legal action."""


class Game:
    """
    One table.

    Args:
        name: The name of a preset.
        number: The number of the game, from 0. With *seed* it fixes the cards.
        players: One for each seat, in order.
    """

    def __init__(self, name: str, number: int, players: Sequence[Player], seed: int = 0) -> None:
        ruleset = preset(name)
        self._key = f"{seed}/{number}" if seed else number
        self._players = players
        self._now = NOON
        self._version = 0
        self.hands = 0
        self._state: State = decider.initial
        stack = ruleset.starting_stack or _STACK
        self._do(
            OpenTable(
                table=TableId(f"tbl_{1 + number:032x}"),
                tournament=TournamentId(f"trn_{1:032x}"),
                number=1 + number,
                ruleset=ruleset,
                ruleset_hash=ruleset_hash(ruleset),
                decision_seconds=DECISION_SECONDS,
                grace_seconds=GRACE_SECONDS,
                seats=tuple(
                    Placed(seat=seat, entrant=EntrantId(f"ent_{seat:032x}"), stack=stack)
                    for seat in range(1, len(players) + 1)
                ),
                seat_count=len(players),
                now=NOON,
            )
        )

    @property
    def table(self) -> Table:
        """Return the table as it is."""
        if not isinstance(self._state, Table):
            raise TypeError("the table is not open")
        return self._state

    def play(self) -> dict[int, int]:
        """Play to the end, and return the deciding number by seat: the chips, or the hands won."""
        while self.hands < HANDS_MAX and len(self.table.places) > 1:
            self._wake()
            try:
                self._do(self._next_hand())
            except TooFewStacks:
                break
            self.hands += 1
            while self.table.decision is not None:
                self._ask(self.table.decision.seats[0])
        if self.table.ruleset.moneyless:
            return {place.seat: place.hands_won for place in self.table.places}
        return {place.seat: place.stack for place in self.table.places}

    def _next_hand(self) -> OpenHand:
        number = self.table.next_hand_number
        cards, dice, draws = (_hex(use, self._key, number) for use in ("c", "d", "l"))
        return OpenHand(
            hand=HandId(f"hnd_{number:032x}"),
            seeds=Seeds(cards=cards, dice=dice, draws=draws),
            tournament_version=1,
            tournament_head=_NO_HEAD,
            now=self._now,
        )

    def _wake(self) -> None:
        """Bring back seats that timed out so often that they count as away."""
        for place in self.table.places:
            if place.away:
                self._do(ComeBack(entrant=place.entrant))

    def _ask(self, seat: int) -> None:
        """Have a seat answer the open decision. If it does not, the clock answers."""
        entrant, player = self.table.at(seat).entrant, self._players[seat - 1]
        loaded = Loaded(self.table, self._version, b"", self._now)
        view: Document = msgspec.to_builtins(read_of(_LEAGUE, loaded, seen_by(self.table, entrant)))
        action: Document | None = None
        try:
            action = player.choose(view)
            told = {"decision": view["decision"]["token"], **action}
            read = action_in(told)
            token = _hex(seat, told["decision"], self._version)
            self._do(command_of(read, entrant=entrant, now=self._now, salt=lambda: token))
        except NoAnswer as none:
            self._missed(player, view, none.kind, none.kind, none.detail, action)
        except (msgspec.ValidationError, TypeError) as error:
            self._missed(player, view, "malformed", "bad_request", str(error), action)
        except CommandRejected as refusal:
            self._missed(player, view, "refused", refusal.code, refusal.detail, action)

    def _missed(
        self,
        player: Player,
        view: Document,
        kind: Literal["refused", "malformed", "late", "ended"],
        code: str,
        detail: str,
        action: Document | None,
    ) -> None:
        """Report a fault to *player*, and let the clock answer for its seat."""
        decision = self.table.decision
        if decision is None:
            raise TypeError("a refused action closed the decision")
        legal = tuple(str(each["verb"]) for each in view["legal"])
        player.told(
            Fault(
                kind=kind,
                code=code,
                detail=detail,
                decision=decision.token,
                phase=decision.phase,
                action=action,
                legal=legal,
            )
        )
        self._now = decision.deadline + timedelta(seconds=GRACE_SECONDS + 1)
        salts = tuple(_hex(seat, decision.token) for seat in decision.seats)
        self._do(TimeOut(decision=decision.token, salts=salts, now=self._now))

    def _do(self, command: Command) -> None:
        events, self._state = decider.carry_out(self._state, command)
        self._version += len(events)


def _hex(*facts: object) -> str:
    return sha256(repr(facts).encode()).hexdigest()
