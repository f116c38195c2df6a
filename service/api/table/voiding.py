"""Voiding a deal. Staff who are entered in the tournament may not void its deals."""

from typing import Annotated

import msgspec
from litestar import Response
from msgspec import Meta

from engine.table.model.commands import VoidCause, VoidDeal
from engine.table.model.events import DealVoided
from engine.values import HandId
from service.api.http.access.rights import TablePlace
from service.api.http.operations import operation
from service.api.http.shell import Shell
from service.api.http.writing.submitting import Order, answer
from service.director.submitting import submit_to_table


class VoidWanted(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """The deal to void, with the cause and the reason."""

    hand: Annotated[str, Meta(pattern="^hnd_[0-9a-f]{32}$")] | None = None
    """
    The hand whose deal went wrong. If another hand is in play, nothing is voided. Null means the
    hand in play.
    """

    deal: Annotated[int, Meta(ge=1)] | None = None
    """
    The number of the deal that went wrong. If another deal is in play, nothing is voided. Null
    means the deal in play.
    """

    cause: VoidCause
    """The fault of the deal."""

    reason: Annotated[str, Meta(pattern="^[a-z0-9_]{1,64}$")]
    """A public word for the fault, such as ``card_shown``."""


class Voided(msgspec.Struct, kw_only=True):
    """
    A voided deal. The hand is dealt again at once, or once a held table is released, and never
    after a cancellation.
    """

    table: str
    hand: str
    number: int
    """The number of the hand at its table, from 1."""

    deal: int
    """The number of the voided deal in its hand, from 1."""

    position: str | None


@operation(
    "POST", "/v1/tables/{table_id:str}/void", "void_deal",
    "Void the deal in play. Chips go back, cards are opened, and the hand is dealt again.",
    needs="direct_play",
    scope="tournaments:manage", answer=Voided, key_required=True,
    problems=("forbidden", "another_deal_in_play", "no_deal_in_play", "substantial_action"),
)  # fmt: skip
async def void_deal(
    body: VoidWanted, order: Order, place: TablePlace, shell: Shell
) -> Response[bytes]:
    """Void the deal in play. A retry does not void the next deal."""
    asked = VoidDeal(
        hand=None if body.hand is None else HandId(body.hand),
        deal=body.deal,
        cause=body.cause,
        reason=body.reason,
        now=order.received_at,
    )
    receipt = await submit_to_table(shell.runtime, place.league, place.id, asked, order)
    (voided,) = (each.event for each in receipt.recorded if isinstance(each.event, DealVoided))
    content = {"table": place.id, "hand": voided.hand, "number": voided.number, "deal": voided.deal}
    return answer(receipt, content, 200, version_of=place.stream)
