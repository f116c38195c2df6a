"""Reading rows of the log as events: hidden values are opened, and every document is checked."""

from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from engine.coordination.aggregates import DECIDERS, Event
from service.audit.bytes.chain import (
    Boxes,
    Links,
    canonical,
    check_commitments,
    encode,
    opened,
    parsed,
)
from service.audit.bytes.hidden import held_alike
from service.audit.event.tournament import TournamentAudit
from service.audit.play.hands import HandAudit
from service.audit.report import Findings
from service.audit.said import said
from service.audit.season.seasons import SeasonAudit
from service.base.errors import EventUnreadable
from service.log.codec import Codec
from service.log.keys import LeagueKeys
from service.log.record import Recorded

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

# Streams of all categories share one mapping, so their types cannot name the aggregate of an event
# or state. The category names it, and each check takes its own types.
Group = list[tuple[Any, int]]
"""Events of an append with their positions. Events that are not read yet are rows."""

Followed = list[tuple[Any, Any]]  # of one aggregate, in a category that the caller knows
"""Events with the states after them."""


@dataclass(slots=True)
class FoldedStream:
    """A stream being folded."""

    name: str
    category: str
    own: bool
    state: Any  # its category is known at run time only
    """None if the category is unknown."""

    broken: bool
    last: int = -1
    """Position of its last event."""

    checker: HandAudit | TournamentAudit | SeasonAudit | None = None
    group: Group = field(default_factory=list)
    """Events of its last command that are not folded yet."""

    metadata: bytes = b""
    """Metadata of the group. The events of an append share it."""

    at: datetime = _EPOCH
    """The time at which the group was appended."""


class LeagueReading:
    """
    Reads the events of a league.

    Args:
        keys: The keys that open the league's sealed values.
        findings: Collects faults.
    """

    def __init__(self, keys: LeagueKeys, findings: Findings) -> None:
        self._keys = keys
        self._findings = findings
        self._codec = Codec(DECIDERS)
        self.left = 0
        """Number of rows not read yet, because deciding again should give the same bytes."""

        self._read = 0

    def whole(self, stream: FoldedStream, group: Group) -> Group:
        """Return *group* with its unread events read. Events that cannot be read are left out."""
        # A fault that broke the stream later does not concern these events, so all of them are
        # read.
        broken, stream.broken = stream.broken, False
        read: Group = []
        for known, position in group:
            if not isinstance(known, Recorded):
                read.append((known, position))
                continue
            self.left -= 1
            event = self.read(known, stream)
            if event is not None:
                read.append((event, position))
        stream.broken |= broken
        return read

    def read(self, recorded: Recorded, stream: FoldedStream) -> Event | None:
        """Return the event of a row, or report why the row cannot be read and return None."""
        if recorded.sealed is None:
            event = self._decoded(recorded, stream, None)
            held = _in_form(recorded.data, event)
        else:
            boxes = opened(recorded, self._keys, self._findings)
            event = self._decoded(recorded, stream, boxes)
            alike = None
            if event is not None and boxes is not None:
                alike = held_alike(event, recorded, boxes.texts)
            if alike is not None:
                self._findings.held(("commitments",), alike)
                return event
            document = parsed(recorded.data)
            check_commitments(recorded, document, boxes, self._findings)
            held = encode(document) == recorded.data
        if not held:
            what = said("its document is not canonical")
            self._findings.hold("canonical", False, recorded.position, stream.name, what, count=0)
        return event

    def _decoded(
        self, recorded: Recorded, stream: FoldedStream, boxes: Boxes | None
    ) -> Event | None:
        find = self._findings.hold
        if stream.broken:
            if stream.state is None:
                what = said("the category of the stream is unknown")
                find("readable", False, recorded.position, stream.name, what)
            return None
        try:
            event: Event = self._codec.decode(
                recorded, self._keys, None if boxes is None else boxes.places
            )
        except EventUnreadable as error:
            stream.broken = True
            what = said("it cannot be decoded: %(reason)s", reason=error.detail)
            find("readable", False, recorded.position, stream.name, what)
            return None
        self._read += 1
        return event

    def check_voided(self, recorded: Recorded, links: Links) -> None:
        """Check that a voided event is damaged in its version, hash or schema."""
        fails = not links.follows(recorded)
        try:
            self._codec.decode(recorded, self._keys)
        except EventUnreadable:
            fails = True
        what = said("it was voided, but its bytes are well formed")
        self._findings.hold("voided", fails, recorded.position, recorded.stream, what)

    def follow(self, recorded: Recorded) -> Event:
        """
        Return an event of a stream that another unit checks.

        Raises:
            EventUnreadable: If the event cannot be read.
        """
        event: Event = self._codec.decode(recorded, self._keys)
        return event

    def end(self) -> None:
        """Count the events that could be read."""
        self._findings.held(("readable",), self._read + self.left)


def _in_form(data: bytes, event: Event | None) -> bool:
    """Return whether a document is in canonical form. Most events encode to exactly their bytes."""
    if event is not None:
        try:
            if encode(event) == data:
                return True
        except TypeError:  # forged: a hidden place without an opening
            pass
    return canonical(data)
