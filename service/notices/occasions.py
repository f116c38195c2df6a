"""
The events that lead to notices, and the facts that a notice needs of each.

Only the public part of an event is read, without any key. So no notice can hold a hidden card.
"""

from datetime import datetime
from typing import Final

import msgspec

from engine.dispute.events import DisputeOpened, DisputeRuled
from engine.league.auditing import AuditReported
from engine.table.model.events import DecisionOpened
from engine.tournament.model.events import SeatsDrawn, TournamentCancelled, TournamentFinished
from engine.tournament.model.events.correcting import ResultCorrected
from engine.tournament.model.events.entering import (
    CheckInOpened,
    LateSeatDrawn,
    PlaceOffered,
    StartPostponed,
)
from engine.tournament.model.events.rounds import FinalSeated, RoundSeated
from engine.tournament.model.values import Placing
from service.log.catalogue import tag_of
from service.notices.kinds import GOOD_FOR, SLOW, Kind


class Share(msgspec.Struct, frozen=True, omit_defaults=True):
    """The part of one entrant in an occasion."""

    entrant: str
    table: str | None = None
    seat: int | None = None
    place: int | None = None


class Occasion(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """An event that people are told of."""

    kind: Kind
    stream: str
    """The stream of the event."""

    until: datetime | None = None
    """The end of an offer or of the time for a decision, or a later start."""

    shares: tuple[Share, ...] = ()
    """The entrants to tell, if the event names them."""

    decision: str | None = None
    seats: tuple[int, ...] = ()
    cancelled: bool = False
    ruled: bool = False
    corrected: bool = False


_OF: Final[tuple[type[msgspec.Struct], ...]] = (
    CheckInOpened,
    StartPostponed,
    TournamentCancelled,
    SeatsDrawn,
    LateSeatDrawn,
    RoundSeated,
    FinalSeated,
    PlaceOffered,
    DecisionOpened,
    TournamentFinished,
    ResultCorrected,
    DisputeOpened,
    DisputeRuled,
    AuditReported,
)
TYPES: Final = sorted(map(tag_of, _OF))
"""The types of events that may be an occasion."""


def occasion_of(event: msgspec.Struct, stream: str) -> Occasion | None:
    """Return the occasion that an event is, or None if nobody is told of it."""
    match event:
        case CheckInOpened():
            return Occasion(kind="check_in_open", stream=stream)
        case StartPostponed(until=until):
            return Occasion(kind="start_changed", stream=stream, until=until)
        case TournamentCancelled():
            return Occasion(kind="start_changed", stream=stream, cancelled=True)
        case SeatsDrawn() | LateSeatDrawn() | RoundSeated() | FinalSeated():
            return Occasion(kind="seat_drawn", stream=stream, shares=_seats(event))
        case PlaceOffered(entrant=entrant, until=until):
            return Occasion(
                kind="place_offered", stream=stream, until=until, shares=(Share(entrant),)
            )
        case DecisionOpened(at=at, deadline=deadline) if deadline - at >= SLOW:
            return Occasion(
                kind="your_turn",
                stream=stream,
                until=deadline,
                decision=event.decision,
                seats=event.seats,
            )
        case TournamentFinished(placings=placings):
            return Occasion(kind="result", stream=stream, shares=_places(placings))
        case ResultCorrected(placings=placings):
            shares = _places(placings)
            return Occasion(kind="result", stream=stream, shares=shares, corrected=True)
        case DisputeOpened() | DisputeRuled():
            return Occasion(kind="dispute", stream=stream, ruled=isinstance(event, DisputeRuled))
        case AuditReported(passed=False):
            return Occasion(kind="audit_failed", stream=stream)
        case _:
            return None


def ends_at(occasion: Occasion, at: datetime) -> datetime:
    """Return the instant after which an occasion of *at* is no longer news."""
    end = at + GOOD_FOR[occasion.kind]
    return end if occasion.until is None else min(end, occasion.until)


def _seats(event: SeatsDrawn | LateSeatDrawn | RoundSeated | FinalSeated) -> tuple[Share, ...]:
    match event:
        case LateSeatDrawn(entrant=entrant, table=table, seat=seat):
            return (Share(entrant, table, seat),)
        case RoundSeated(tables=tables):
            return tuple(
                Share(each.entrant, table.table, each.seat)
                for table in tables
                for each in table.seats
            )
        case _:
            return tuple(Share(each.entrant, each.table, each.seat) for each in event.assignments)


def _places(placings: tuple[Placing, ...]) -> tuple[Share, ...]:
    return tuple(Share(each.entrant, place=each.place) for each in placings)
