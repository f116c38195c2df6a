"""The body of a message: its kind, the instant of its event, and public facts."""

from collections.abc import Callable
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

import msgspec

from engine.kit.audiences import Reader
from engine.values import aggregate_of, identifier
from service.log.addresses import position_token
from service.log.catalogue import tag_of
from service.log.codec import category_of
from service.webhooks.facts import TournamentFacts, TrialFacts
from service.webhooks.kinds import BY_EVENT, KINDS, TRIED, Members, own_facts

BODY_MAX = 19_999
"""The most characters of a message. Valid events come nowhere near it."""


class Message(msgspec.Struct, frozen=True, kw_only=True):
    """The body that a receiver gets, after Standard Webhooks."""

    type: str
    """The kind of the message."""

    timestamp: datetime
    """The instant of the event. The header `webhook-timestamp` has the instant of the attempt."""

    data: msgspec.Raw
    """Public facts of the event."""


class Source(NamedTuple):
    """An event of the log, decoded, with its place."""

    league: UUID
    epoch: int
    position: int
    stream: str
    event_id: UUID
    at: datetime
    event: msgspec.Struct


class Named(NamedTuple):
    """The tournament that an event belongs to."""

    tournament: str
    name: str


def body_of(source: Source, named: Callable[[str], Named]) -> str:
    """
    Return the body of the message about an event.

    Args:
        named: Returns the tournament of a stream of a tournament or a table.

    Raises:
        LookupError: If the event has no kind, or the public may not read it.
        ValueError: If the message would be too long.
    """
    name = BY_EVENT[type(source.event)]
    kind = KINDS[name]
    if not Reader().reads(tag_of(kind.event)):
        raise LookupError(f"{name} is not public")
    league = identifier("lge", source.league)
    members: Members = {
        "event": str(source.event_id),
        "league": league,
        "position": position_token(league, source.epoch, source.position),
        category_of(source.stream): aggregate_of(source.stream),
    }
    if issubclass(kind.facts, TournamentFacts):
        members |= named(source.stream)._asdict()
    body = _encoded(name, source.at, kind.facts(**members, **own_facts(source.event)))
    if len(body) > BODY_MAX:
        raise ValueError(f"the message is longer than {BODY_MAX} characters")
    return body


def trial_of(league: UUID, webhook: UUID, now: datetime) -> str:
    """Return the body of the message with which somebody tries a webhook."""
    facts = TrialFacts(webhook=identifier("whk", webhook), league=identifier("lge", league))
    return _encoded(TRIED, now, facts)


def _encoded(kind: str, at: datetime, facts: msgspec.Struct) -> str:
    data = msgspec.Raw(msgspec.json.encode(facts))
    return msgspec.json.encode(Message(type=kind, timestamp=at, data=data)).decode()
