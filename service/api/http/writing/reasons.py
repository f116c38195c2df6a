"""Reasons and other texts that people write with an order."""

from datetime import datetime
from typing import TypedDict

from engine.values import PlayerId, TextId, TextRef, identifier, number_of
from service.api.http.shell import Shell
from service.api.http.writing.submitting import Order
from service.people.texts import Audience, NewText, keep_text


class StaffDecision(TypedDict):
    """The members that every staff decision has."""

    by: PlayerId
    reason: TextRef
    now: datetime


class Authored(TypedDict):
    """The members that every decision on a season has."""

    author: PlayerId
    reason: TextRef
    now: datetime


async def keep(
    shell: Shell,
    league: str,
    order: Order,
    body: str,
    *,
    audience: Audience = "members",
    about: PlayerId | None = None,
) -> TextRef:
    """
    Store the caller's text for the event that *order* will cause. Call it after all checks.

    Args:
        about: The player the text is about. Erasing this player also erases the text.
    """
    if order.rehearse:
        return TextRef(text=TextId(identifier("txt", order.new_id(0))), digest="0" * 64)
    draft = NewText(
        league=league,
        author=number_of(order.actor),
        body=body,
        audience=audience,
        subject=None if about is None else number_of(about),
    )
    salt, now = shell.runtime.entropy.bytes(32), shell.now()
    return await keep_text(shell.engine, order.command_id, draft, salt=salt, now=now)


async def signed(
    shell: Shell, league: str, order: Order, body: str, *, about: PlayerId | None = None
) -> StaffDecision:
    """Return the author, the reason and the time of receipt for a staff decision."""
    return {
        "by": PlayerId(order.actor),
        "reason": await keep(shell, league, order, body, about=about),
        "now": order.received_at,
    }
