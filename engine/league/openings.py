"""
Openings: someone may look at sealed values for a while.

The opening is public. Only the staff know the reason, until there is a dispute.
"""

from datetime import datetime, timedelta
from typing import Literal

import msgspec

from engine.league.errors import OpeningInvalid
from engine.values import PlayerId, TextRef

OPEN_MAX = timedelta(days=1)
"""The longest time for which one opening holds."""

What = Literal["hand"]
"""``hand``: every card, selection and seed of a hand's deals."""


class _Part(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    pass


class OpenValues(_Part, frozen=True, kw_only=True, tag="open_values"):
    """Let one person see sealed values. The service checks the person's rights."""

    what: What
    subject: str
    """Identifier of the thing that the values belong to."""

    by: PlayerId
    reason: TextRef
    now: datetime
    expires_at: datetime


class ValuesOpened(_Part, frozen=True, kw_only=True, tag="values_opened"):
    """Somebody was allowed to open sealed values until an instant."""

    what: What
    subject: str
    by: PlayerId
    reason: TextRef
    at: datetime
    expires_at: datetime


Command = OpenValues
Event = ValuesOpened


def decide(command: Command) -> tuple[Event, ...]:
    """
    Return a new event for each opening, even of the same values.

    Raises:
        OpeningInvalid: If it ends before it begins, or lasts longer than :data:`OPEN_MAX`.
    """
    if not command.now < command.expires_at <= command.now + OPEN_MAX:
        raise OpeningInvalid(hours_max=OPEN_MAX // timedelta(hours=1))
    return (
        ValuesOpened(
            what=command.what,
            subject=command.subject,
            by=command.by,
            reason=command.reason,
            at=command.now,
            expires_at=command.expires_at,
        ),
    )


def standing(openings: tuple[ValuesOpened, ...], event: ValuesOpened) -> tuple[ValuesOpened, ...]:
    """Return the openings in force after *event*. Those that have ended are dropped."""
    return (*(each for each in openings if event.at < each.expires_at), event)
