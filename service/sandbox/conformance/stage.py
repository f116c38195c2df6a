"""The stage of the test: turns sent to the client, and the actions that come back."""

import queue
import time
from collections import Counter
from collections.abc import Callable
from typing import Final, NamedTuple

from service.base.documents import Document
from service.sandbox.conformance.exchange import Act, Exchange, Reply, instant, now, problem
from service.sandbox.conformance.judging import Judge
from service.sandbox.selfplay.game import NoAnswer

SILENT_MAX: Final = 3
"""The test ends after this many decisions in a row without an answer."""

_LOOK_SECONDS: Final = 0.2
_LEAGUE: Final = f"lge_{1:032x}"
_TOURNAMENT: Final = f"trn_{1:032x}"
SEAT: Final = 1


class ClientGone(Exception):
    """The client has ended, or no longer answers. The text is one line for people."""


class Silent(NoAnswer):
    """The client did not answer a decision in time."""


class Turn(NamedTuple):
    """A decision that waits for the client."""

    table: str
    decision: str
    item: Document


class Stage:
    """
    Sends turns and other items to the client, and takes its actions.

    Args:
        exchange: What passes between the script and the client.
        judge: Notes what the client does.
        seconds: The time for a decision, and for reconnecting after a cut.
        ended: Returns why the client has ended, or None while it runs.
    """

    def __init__(
        self, exchange: Exchange, judge: Judge, seconds: float, ended: Callable[[], str | None]
    ) -> None:
        self.exchange = exchange
        self.judge = judge
        self.seconds = seconds
        self.ended = ended
        self.acts = 0
        """The actions that have come."""

        self._table = ""
        self._connects = 0
        """The number of connections before the last cut."""

        self._numbers: dict[tuple[str, str], int] = {}
        """The number of the item that first sent each turn."""

        self._closing: Document | None = None
        self._silent = 0
        self._answered: set[tuple[str, str]] = set()
        self._refused: Counter[tuple[str, str]] = Counter()
        """The actions on each decision that was closed, or for which one was refused."""

        self._keys: dict[str, tuple[Act, Reply]] = {}

    # Items

    def say(self, kind: str, *, holds: bool = False, **members: object) -> None:
        """Send an item that is no turn. One that *holds* is sent to every client that begins."""
        self.exchange.tell(_about({"type": kind, **members}), holds=holds)

    def turn_of(self, view: Document) -> Turn:
        """Return the turn of a view. If the seat is at another table, send that first."""
        table, decision = str(view["id"]), view["decision"]
        decision["deadline"] = instant(self.seconds)
        names = {seat["entrant"]: f"Seat {seat['seat']}" for seat in view["seats"]}
        shown = {**view, "names": names}
        self.exchange.views[table] = {**shown, "now": now()}
        if table != self._table:
            stack = next(each["stack"] for each in view["seats"] if each["seat"] == SEAT)
            there = {"table": table, "seat": SEAT}
            if self._table:
                before = {"table": self._table, "seat": SEAT}
                moved = {"type": "move", "from": before, "to": there, "stack": stack}
                self.exchange.tell(_about(moved))
            else:
                self.say("seat", holds=True, table=table, seat=SEAT, stack=stack)
            self._table = table
        token = str(decision["token"])
        told = {"table": table, "decision": token, "deadline": decision["deadline"]}
        return Turn(table, token, {"type": "turn", **told, "view": shown})

    def tell(self, turn: Turn) -> None:
        """Send *turn*, after the end of the turn before."""
        self.tell_closing()
        self.tell_only(turn)

    def tell_only(self, turn: Turn, **members: object) -> None:
        """Send *turn*, with further *members*. The end of the turn before is still to be sent."""
        number = self.exchange.tell(_about({**turn.item, **members}))
        self._numbers.setdefault((turn.table, turn.decision), number)

    def tell_closing(self) -> None:
        """Send the end of the last decision, unless it was sent."""
        closing, self._closing = self._closing, None
        if closing is not None:
            self.exchange.tell(closing)

    # Decisions

    def answered(self, turn: Turn, act: Act, reply: Reply) -> None:
        """Note that *act* has answered the decision, and that *reply* is the answer to it."""
        self._answered.add((turn.table, turn.decision))
        self._keys[str(act.key)] = (act, reply)
        self._close(turn)

    def shut(self, turn: Turn, act: Act | None = None) -> None:
        """Close a decision without an answer. *act* came too late, or was refused."""
        self._refused[(turn.table, turn.decision)] = 0 if act is None else 1
        self._close(turn)

    def _close(self, turn: Turn) -> None:
        self.exchange.close_turn()
        told = {"type": "turn_closed", "table": turn.table, "decision": turn.decision}
        self._closing = _about(told)

    # Actions

    def awaited(self, turn: Turn) -> Act:
        """
        Return the client's action on *turn*. It may be illegal.

        Raises:
            Silent: If none comes in time.
            ClientGone: If the client has ended, or has not answered again and again.
        """
        until = time.monotonic() + self.seconds
        while (left := until - time.monotonic()) > 0:
            act = self._next(left)
            if act is not None and self._is_for(act, turn):
                self._silent = 0
                self.exchange.proved = self._numbers[(turn.table, turn.decision)]
                return act
        self._silent += 1
        self.shut(turn)
        if self._silent >= SILENT_MAX:
            raise ClientGone(f"the client did not answer {SILENT_MAX} decisions in a row")
        raise Silent("late", "the client did not answer in time")

    def serve(self, seconds: float, *, until: str | None = None) -> bool:
        """
        Answer actions that no turn waits for. Return True after the action with the key *until*.

        Raises:
            ClientGone: If the client has ended.
        """
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            act = self._next(left)
            if act is not None:
                self._is_for(act, None)
                if until is not None and act.key == until:
                    return True
        return False

    def cut(self, *, cleanly: bool, refuse: int) -> None:
        """End all connections, as :meth:`Exchange.cut` does."""
        self._connects = len(self.exchange.connects)
        self.exchange.cut(cleanly=cleanly, refuse=refuse)

    def until_connected(self, seconds: float) -> bool:
        """
        Wait until the client has connected since the last cut. Return False if it does not in time.
        """
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if self.exchange.connected(self._connects, _LOOK_SECONDS):
                return True
            self.demand_client()
        return False

    def demand_client(self) -> None:
        """Raise ClientGone if the client has ended."""
        if (why := self.ended()) is not None:
            raise ClientGone(why)

    def closing_words(self) -> None:
        """Note the closed decisions on which the client acted only once."""
        for count in self._refused.values():
            if count == 1:
                self.judge.right("gives_up")

    def _next(self, seconds: float) -> Act | None:
        try:
            act = self.exchange.acts.get(timeout=min(seconds, _LOOK_SECONDS))
        except queue.Empty:
            self.demand_client()
            return None
        self.acts += 1
        return act

    def _is_for(self, act: Act, turn: Turn | None) -> bool:
        """Return whether *act* is to be played. Answer it otherwise."""
        named = (act.table, act.decision or "")
        if not act.key:
            self.judge.wrong("key", "an action came without an Idempotency-Key")
            act.answer(problem(400, "idempotency_key_required", "this command needs a key"))
        elif act.decision is None:
            self.judge.wrong("legal", "an action named no decision, or was no JSON object")
            act.answer(problem(400, "validation_failed", "the action has no decision"))
        elif named in self._refused:
            self._refused[named] += 1
            if self._refused[named] > 1:
                self.judge.wrong("gives_up", "an action was repeated after its refusal")
            act.answer(problem(409, "stale_decision", "the decision is closed"))
        elif (known := self._keys.get(act.key)) is not None:
            self._again(act, *known)
        elif named in self._answered:
            self.judge.wrong("once", "a decision was answered again, with another key")
            act.answer(problem(409, "stale_decision", "you have answered this decision"))
        elif turn is not None and named == (turn.table, turn.decision):
            return True
        else:
            self.judge.wrong("legal", f"an action named {act.decision}, which does not wait")
            act.answer(problem(409, "stale_decision", "no such decision is open"))
        return False

    def _again(self, act: Act, before: Act, reply: Reply) -> None:
        """Answer an action whose key is known."""
        if (act.table, act.body) == (before.table, before.body):
            act.answer(reply._replace(headers={"Idempotent-Replayed": "true"}))
        else:
            self.judge.wrong("key", "two different actions came with the same Idempotency-Key")
            act.answer(problem(422, "idempotency_key_reused", "the key was used before"))


def _about(item: Document) -> Document:
    return {**item, "at": now(), "league": _LEAGUE, "tournament": _TOURNAMENT}
