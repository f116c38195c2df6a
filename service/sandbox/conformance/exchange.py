"""
The exchange between the script and the client: items one way, actions the other.

The script adds items. Threads of the server send them to streams and polls, and bring the client's
actions to the script.
"""

import json
import queue
import threading
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Final, Literal, NamedTuple

from service.base.documents import Document, Json
from service.base.sources import DatabaseClock

PING_SECONDS: Final = 5.0
SENT_SECONDS: Final = 2.0
"""The longest wait until all items have been sent."""

_CURSOR: Final = "at-"
_FOREIGN: Final = 2**40
_CLOCK: Final = DatabaseClock()
"""The machine's clock, because there is no database."""


class Reply(NamedTuple):
    """An answer of the server."""

    status: int
    body: Document
    headers: Mapping[str, str] = {}


CUT: Final = Reply(0, {})
"""True to close the connection without an answer."""


def problem(status: int, code: str, detail: str, retry_after: int | None = None) -> Reply:
    """Return a refusal as the API makes it."""
    body: Document = {
        "type": f"/problems/{code}", "title": code, "status": status, "detail": detail,
        "instance": "urn:uuid:00000000-0000-0000-0000-000000000000", "code": code,
    }  # fmt: skip
    return Reply(status, body, {} if retry_after is None else {"Retry-After": str(retry_after)})


@dataclass(eq=False, slots=True)
class Act:
    """A client's action, which waits for its answer."""

    table: str
    body: Json
    key: str | None
    at: float = field(default_factory=time.monotonic)
    _answered: threading.Event = field(default_factory=threading.Event)
    _reply: Reply = CUT

    @property
    def decision(self) -> str | None:
        """The token of the decision that the action names, or None."""
        named = self.body.get("decision") if isinstance(self.body, dict) else None
        return named if isinstance(named, str) else None

    def answer(self, reply: Reply) -> None:
        """Let the server send *reply*."""
        self._reply = reply
        self._answered.set()

    def reply(self, seconds: float) -> Reply:
        """Return the answer, or None after *seconds* without one."""
        self._answered.wait(seconds)
        return self._reply


class Connect(NamedTuple):
    """A request for items."""

    at: float
    kind: Literal["stream", "poll"]
    after: int | None
    """The number of items that the client says it has, or None without a cursor."""

    proved: int
    """The number of the last turn that the client has answered by then."""


class _Told(NamedTuple):
    text: str
    kind: str
    turn: tuple[str, str] | None
    """Table and decision of a turn."""


class Exchange:
    """
    Carries items to the client, and its actions to the script. Any thread may use it.

    Args:
        token: The client's token.
    """

    def __init__(self, token: str) -> None:
        self.token = token
        self.acts: queue.Queue[Act] = queue.Queue()
        self.connects: list[Connect] = []
        """Every request for items that was not cut off or refused, in order."""

        self.refused_at: float | None = None
        """The time of the last request for items that was refused with 503."""

        self.strangers = 0
        """Requests with another token or none."""

        self.late_requests = 0
        """Requests after the token had ended."""

        self.elsewhere: Counter[str] = Counter()
        self.empty = 0
        """The polls that did not wait and got no items."""

        self.proved = 0
        """The number of the last turn that the client has answered."""

        self.views: dict[str, Document] = {}
        """The last view of each table."""

        self._items: list[_Told] = []
        self._open: tuple[str, str] | None = None
        self._begun: list[int] = []
        """The numbers of the items for a client without a cursor."""

        self._changed = threading.Condition()
        self._cuts = 0
        self._cleanly = False
        self._polls_to_cut = 0
        self._to_refuse = 0
        self._ended = False
        self._streams: dict[int, int] = {}
        """The number of items that each open stream has sent, by its number."""

        self._polled = 0
        """The number of items that polls have answered."""

    @property
    def ended(self) -> bool:
        """Return whether the client's token has ended."""
        return self._ended

    def tell(self, item: Document, *, holds: bool = False) -> int:
        """
        Add an item and return its number. Its cursor is made here.

        Args:
            holds: True if a client without a cursor also gets it, for the rest of the test.
        """
        with self._changed:
            number = len(self._items) + 1
            item = {**item, "cursor": f"{_CURSOR}{number}"}
            turn = None
            if item["type"] == "turn":
                turn = self._open = (str(item["table"]), str(item["decision"]))
            self._items.append(_Told(json.dumps(item), str(item["type"]), turn))
            if holds:
                self._begun.append(number - 1)
            self._changed.notify_all()
            return number

    def close_turn(self) -> None:
        """Note that no decision is open. Its turn is not sent again."""
        with self._changed:
            self._open = None

    def cut(self, *, cleanly: bool = False, refuse: int = 0) -> None:
        """
        End all connections once every item has been sent.

        Args:
            cleanly: True to end streams as at the end of their life, instead of breaking off.
            refuse: The number of later requests for items to refuse with 503.
        """
        with self._changed:
            self._changed.wait_for(self._sent, SENT_SECONDS)
            self._cuts += 1
            self._cleanly = cleanly
            self._to_refuse = refuse
            if not self._streams and not cleanly and not refuse:
                self._polls_to_cut = 1
            self._changed.notify_all()

    def end(self) -> None:
        """End the client's token. From now on its requests get 401."""
        with self._changed:
            self._ended = True
            self._cuts += 1
            self._cleanly = True
            self._changed.notify_all()

    def streams(self) -> bool:
        """Return whether the client has a stream open."""
        return bool(self._streams)

    def connected(self, more_than: int, seconds: float) -> bool:
        """
        Wait until there are more requests for items than this.

        Return False if there are none.
        """
        with self._changed:
            return self._changed.wait_for(lambda: len(self.connects) > more_than, seconds)

    def admit(self, kind: Literal["stream", "poll"], after: str | None) -> Reply | int:
        """
        Note a request for items. Return the number of items that the client has, or a refusal.

        -1 stands for a client without a cursor.
        """
        known = _number(after)
        with self._changed:
            if known is not None and known > len(self._items):
                return problem(400, "invalid_cursor", "the cursor is not from this server")
            if self._to_refuse:
                self._to_refuse -= 1
                self.refused_at = time.monotonic()
                return problem(503, "store_unavailable", "the database is not available", 1)
            if kind == "poll" and self._polls_to_cut:
                self._polls_to_cut -= 1
                return CUT
            self.connects.append(Connect(time.monotonic(), kind, known, self.proved))
            self._changed.notify_all()
            return -1 if known is None else known

    def stream(self, known: int, number: int) -> Iterator[str | None]:
        """
        Yield the items for a stream, and None as a heartbeat.

        Args:
            known: As :meth:`admit` returned it.
            number: The number of the stream. No other stream has it.

        Raises:
            BrokenPipeError: If the connection is to be closed without an end.
        """
        with self._changed:
            cuts, told = self._cuts, len(self._items)
            self._streams[number] = -1
            texts: list[str | None] = [*self._before(known, again=True)]
        texts.append(json.dumps({"type": "caught_up", "cursor": f"{_CURSOR}{told}", "at": now()}))
        try:
            while True:
                yield from texts
                with self._changed:
                    self._streams[number] = told
                    self._changed.notify_all()
                    if self._cuts == cuts:
                        self._news(cuts, told, PING_SECONDS)
                    elif self._cleanly:
                        return
                    else:
                        raise BrokenPipeError
                    texts = [*self._since(told)] or [None]
                    told = len(self._items)
        finally:
            with self._changed:
                del self._streams[number]
                self._changed.notify_all()

    def poll(self, known: int, seconds: float) -> list[str] | None:
        """Return the items of a page, after waiting for them, or None if it is cut off."""
        with self._changed:
            cuts = self._cuts
            texts = self._before(known, again=False)
            if not texts:
                told = max(known, 0)
                self._news(cuts, told, seconds)
                texts = self._since(told)
            if self._cuts != cuts and not self._cleanly:
                return None
            self._polled = len(self._items)
            self._changed.notify_all()
            if not texts and not seconds:
                self.empty += 1
            return texts

    def flush(self) -> None:
        """Wait until the client has been sent every item."""
        with self._changed:
            self._changed.wait_for(self._sent, SENT_SECONDS)

    def _before(self, known: int, *, again: bool) -> list[str]:
        """Return the items that a client with *known* items gets first."""
        if known < 0:
            turns = [each.text for each in self._items if each.turn == self._open and each.turn]
            return [self._items[each].text for each in self._begun] + turns[-1:]
        open_before = [
            each.text for each in self._items[:known] if each.turn and each.turn == self._open
        ]
        return (open_before[-1:] if again else []) + self._since(known)

    def _since(self, known: int) -> list[str]:
        """Return the items after the first *known* ones, without closed turns."""
        return [each.text for each in self._items[known:] if each.turn in (None, self._open)]

    def _news(self, cuts: int, told: int, seconds: float) -> None:
        """Wait for more than *told* items, or a cut."""
        self._changed.wait_for(lambda: self._cuts != cuts or len(self._items) > told, seconds)

    def _sent(self) -> bool:
        told = len(self._items)
        if self._streams:
            return all(each >= told for each in self._streams.values())
        return self._polled >= told


def instant(ahead: float) -> str:
    """Return the instant *ahead* seconds from now, in the form that items use."""
    then = _CLOCK.now() + timedelta(seconds=ahead)
    return then.isoformat().replace("+00:00", "Z")


def now() -> str:
    """Return the present instant, in the form that items use."""
    return instant(0)


def _number(cursor: str | None) -> int | None:
    """Return the number of items that a cursor stands for. Foreign cursors stand for too many."""
    if cursor is None:
        return None
    digits = cursor.removeprefix(_CURSOR)
    return int(digits) if cursor.startswith(_CURSOR) and digits.isdigit() else _FOREIGN
