"""Prizes that staff record as handed over, given back, or recorded by mistake."""

from contextlib import suppress
from typing import Annotated

import msgspec
from litestar import Response
from msgspec import Meta
from msgspec.structs import replace

from engine.tournament.model.commands.money import HandOverPrize, ReturnPrize, ReversePrize
from engine.tournament.model.events.money import PrizeHandedOver, PrizeReturned, PrizeReversed
from engine.values import EntrantId, PlayerId
from service.api.http.access.rights import TournamentPlace
from service.api.http.declaring.nothing import Nothing
from service.api.http.operations import operation
from service.api.http.shell import Shell
from service.api.http.writing.reasons import keep
from service.api.http.writing.submitting import Order, answer, decide_one
from service.api.tournament.money import players_of
from service.log.rehearsal import Rehearsed
from service.people.texts import Written
from service.people.tokens import Principal


class PrizeGiven(msgspec.Struct, kw_only=True):
    """A prize that was handed over, given back, or recorded by mistake."""

    entrant: str
    amount: int
    """In minor units of the tournament's currency."""

    currency: str | None
    """The tournament's currency (ISO 4217)."""

    position: str | None


class PrizeReversalWanted(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """The part of a recorded prize to take back, and the reason."""

    amount: Annotated[int, Meta(ge=1, le=2**50)] | None = None
    """
    The part that was not handed over, in minor units of the tournament's currency. Null takes back
    everything recorded.
    """

    recorded: Annotated[int, Meta(ge=1, le=2**50)] | None = None
    """
    The sum recorded as handed over, as the caller saw it. If another is recorded, such as after the
    same request was sent twice, nothing is taken back (`prize_not_handed_over`). Null means any.
    """

    reason: Written
    """The reason, 1 to 2000 characters. Staff of the league can read it."""


@operation(
    "POST", "/v1/tournaments/{tournament_id:str}/prizes/{entrant_id:str}/handed-over",
    "hand_over_prize", "Record that an entrant's prize was handed over.",
    needs="report_results", scope="tournaments:manage", body=Nothing, answer=PrizeGiven,
    key_required=True,
    problems=("forbidden", "frozen", "prize_not_due", "tournament_not_finished"),
)  # fmt: skip
async def hand_over_prize(
    entrant_id: str, place: TournamentPlace, order: Order, shell: Shell, principal: Principal
) -> Response[bytes]:
    """Record the prize, or what a correction added to it since."""
    command = HandOverPrize(
        entrant=EntrantId(entrant_id), by=PlayerId(principal.account.player), now=shell.now()
    )
    return await _handed(shell, place, order, command)


@operation(
    "POST", "/v1/tournaments/{tournament_id:str}/prizes/{entrant_id:str}/returned",
    "return_prize", "Record that an entrant gave back what a correction took from the prize.",
    needs="report_results", scope="tournaments:manage", body=Nothing, answer=PrizeGiven,
    key_required=True,
    problems=("forbidden", "frozen", "prize_not_owed_back", "tournament_not_finished"),
)  # fmt: skip
async def return_prize(
    entrant_id: str, place: TournamentPlace, order: Order, shell: Shell, principal: Principal
) -> Response[bytes]:
    """Record the return of the part that exceeds the payout that stands."""
    command = ReturnPrize(
        entrant=EntrantId(entrant_id), by=PlayerId(principal.account.player), now=shell.now()
    )
    return await _handed(shell, place, order, command)


@operation(
    "POST", "/v1/tournaments/{tournament_id:str}/prizes/{entrant_id:str}/reversals",
    "reverse_prize",
    "Take back the record that a prize was handed over. Both entries stay in the books.",
    needs="report_results", scope="tournaments:manage", answer=PrizeGiven,
    key_required=True,
    problems=("forbidden", "prize_not_handed_over", "tournament_not_finished", "text_forged"),
)  # fmt: skip
async def reverse_prize(
    entrant_id: str,
    body: PrizeReversalWanted,
    place: TournamentPlace,
    order: Order,
    shell: Shell,
) -> Response[bytes]:
    """Record the reversal. What it takes back may then be handed over again."""
    entrant = EntrantId(entrant_id)
    about = players_of(place.state).get(entrant)

    async def named(order: Order) -> ReversePrize:
        text = await keep(shell, place.league, order, body.reason, audience="staff", about=about)
        by = PlayerId(order.actor)
        return ReversePrize(
            entrant=entrant,
            amount=body.amount,
            recorded=body.recorded,
            by=by,
            reason=text,
            now=order.received_at,
        )

    trial = replace(order, rehearse=True)
    with suppress(Rehearsed):  # no words are stored for a reversal that is refused
        await decide_one(shell, place.league, place.id, trial, [await named(trial)])
    return await _handed(shell, place, order, await named(order))


async def _handed(
    shell: Shell,
    place: TournamentPlace,
    order: Order,
    command: HandOverPrize | ReturnPrize | ReversePrize,
) -> Response[bytes]:
    """Record that a prize changes hands, or did not. Answer with its amount."""
    receipt = await decide_one(shell, place.league, place.id, order, [command])
    events = (each.event for each in receipt.recorded)
    kinds = PrizeHandedOver | PrizeReturned | PrizeReversed
    moved = sum(each.amount for each in events if isinstance(each, kinds))
    content = {
        "entrant": command.entrant,
        "amount": moved,
        "currency": place.state.terms.currency,
    }
    return answer(receipt, content, 200, version_of=place.stream)
