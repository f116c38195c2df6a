"""Deals: how those who are left divide what they play for."""

import re
from typing import Annotated, Any

import msgspec
from litestar import Response
from litestar.params import FromPath
from msgspec import Meta

from engine.tournament.model.money_commands import AcceptDeal, DeclineDeal, ProposeDeal
from engine.tournament.model.money_values import DealMethod, DealShare, Offer
from engine.tournament.model.state import Running
from engine.values import EntrantId
from service.api.http.access import Place, entrant_of, reach
from service.api.http.bodies import read_body
from service.api.http.nothing import Nothing
from service.api.http.operations import operation
from service.api.http.shell import Asked, principal_of, shell_of
from service.api.http.submitting import answer, decide_one, encoded, order_of
from service.base.errors import StreamNotFound
from service.director.whole_table import lead_on, with_stacks

_NUMBER = re.compile("[1-9][0-9]{0,8}")


class DealWanted(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """A division of what everyone still in plays for."""

    method: DealMethod
    shares: dict[str, Annotated[int, Meta(ge=0, le=2**50)]] = {}
    """By entrant, where the method is ``explicit``; with ``play_for`` they are all there is."""

    play_for: Annotated[int, Meta(ge=0, le=2**50)] = 0
    """What is left for the winner."""

    ends: bool = False
    """Whether play ends with it, and chips decide the places."""


class DealShown(msgspec.Struct, kw_only=True):
    """A deal, proposed or made."""

    number: int
    by: str | None
    """Null for a director."""
    method: DealMethod
    shares: dict[str, int]
    play_for: int
    ends: bool
    accepted: tuple[str, ...]


class DealsShown(msgspec.Struct, kw_only=True):
    """The deal that waits for answers, and the one that was made."""

    offer: DealShown | None
    made: DealShown | None


class DealAnswered(msgspec.Struct, kw_only=True):
    """What has happened to a deal."""

    number: int
    events: tuple[str, ...]
    position: str | None


@operation(
    "POST", "/v1/tournaments/{tournament_id:str}/deals", "propose_deal",
    "Offer everyone still in a division of what we play for.",
    needs="own_entry", scope="tables:play", body=DealWanted, answer=DealAnswered, status=201,
    problems=(
        "frozen",
        "forbidden", "deal_not_possible", "deal_pending", "deal_amounts_wrong",
        "tournament_not_running",
    ),
)  # fmt: skip
async def propose_deal(request: Asked, tournament_id: FromPath[str]) -> Response[bytes]:
    """Propose as an entrant who is still in."""
    return await _proposed(request, tournament_id, by_entrant=True)


@operation(
    "POST", "/v1/tournaments/{tournament_id:str}/deals/by-director", "propose_deal_as_director",
    "Offer everyone still in a division of what they play for, as a director.",
    needs="direct_play", scope="tournaments:manage", body=DealWanted, answer=DealAnswered,
    status=201,
    problems=(
        "frozen",
        "forbidden", "deal_not_possible", "deal_pending", "deal_amounts_wrong",
        "tournament_not_running",
    ),
)  # fmt: skip
async def propose_deal_as_director(request: Asked, tournament_id: FromPath[str]) -> Response[bytes]:
    """Propose for them; each must still agree for oneself."""
    return await _proposed(request, tournament_id, by_entrant=False)


async def _proposed(request: Asked, tournament_id: str, *, by_entrant: bool) -> Response[bytes]:
    shell = shell_of(request)
    body, raw = await read_body(request, DealWanted)
    place = await reach(request, tournament_id, "trn")
    mine = entrant_of(place.state, principal_of(request).account.player)
    if by_entrant and mine is None:
        raise StreamNotFound("there is no entry of yours")
    command = ProposeDeal(
        by=mine if by_entrant else None,
        method=body.method,
        shares=tuple(
            DealShare(entrant=EntrantId(entrant), amount=amount)
            for entrant, amount in body.shares.items()
        ),
        play_for=body.play_for,
        ends=body.ends,
        now=shell.now(),
    )
    order = order_of(request, raw)
    receipt = await with_stacks(shell.runtime, place.league, tournament_id, command, order.command)
    content = {
        "number": receipt.recorded[0].event.number,
        "events": [each.type for each in receipt.recorded],
    }
    return answer(receipt, content, version_of=place.stream)


@operation(
    "GET", "/v1/tournaments/{tournament_id:str}/deals", "read_deals",
    "The deal that waits for answers, and the one that was made.",
    needs="read_league", scope="leagues:read", answer=DealsShown,
)  # fmt: skip
async def read_deals(request: Asked, tournament_id: FromPath[str]) -> Response[bytes]:
    """Read from the aggregate."""
    books = (await reach(request, tournament_id, "trn")).state.books
    return encoded(DealsShown(offer=_shown(books.offer), made=_shown(books.deal)))


@operation(
    "POST", "/v1/tournaments/{tournament_id:str}/deals/{number:str}/accept", "accept_deal",
    "Agree to a deal that is offered to me.",
    needs="own_entry", scope="tables:play", body=Nothing, answer=DealAnswered,
    problems=("deal_not_open", "deal_not_possible", "tournament_not_running", "frozen"),
)  # fmt: skip
async def accept_deal(
    request: Asked, tournament_id: FromPath[str], number: FromPath[str]
) -> Response[bytes]:
    """Agree; nobody can do it for another."""
    return await _answered(request, tournament_id, number, AcceptDeal)


@operation(
    "POST", "/v1/tournaments/{tournament_id:str}/deals/{number:str}/decline", "decline_deal",
    "Decline a deal that is offered to me: it is void.",
    needs="own_entry", scope="tables:play", body=Nothing, answer=DealAnswered,
    problems=("deal_not_open", "tournament_not_running"),
)  # fmt: skip
async def decline_deal(
    request: Asked, tournament_id: FromPath[str], number: FromPath[str]
) -> Response[bytes]:
    """Decline; nobody can do it for another."""
    return await _answered(request, tournament_id, number, DeclineDeal)


async def _answered(
    request: Asked, tournament_id: str, named: str, kind: type[AcceptDeal | DeclineDeal]
) -> Response[bytes]:
    shell = shell_of(request)
    _, raw = await read_body(request, Nothing)
    place: Place = await reach(request, tournament_id, "trn")
    mine = entrant_of(place.state, principal_of(request).account.player)
    if mine is None:
        raise StreamNotFound("there is no entry of yours")
    if not _NUMBER.fullmatch(named):
        raise StreamNotFound("there is nothing here under this name")
    number = int(named)
    command: Any = kind(entrant=EntrantId(mine), offer=number, now=shell.now())
    order = order_of(request, raw)
    receipt = await decide_one(shell, place.league, tournament_id, order, [command])
    after = (await shell.runtime.writer.load(place.league, place.stream, fresh=False)).state
    if isinstance(after, Running) and after.closing:
        lead_on(shell.runtime, place.league, after)
    content = {"number": number, "events": [each.type for each in receipt.recorded]}
    return answer(receipt, content, 200, version_of=place.stream)


def _shown(offer: Offer | None) -> DealShown | None:
    if offer is None:
        return None
    return DealShown(
        number=offer.number,
        by=offer.by,
        method=offer.method,
        shares={each.entrant: each.amount for each in offer.shares},
        play_for=offer.play_for,
        ends=offer.ends,
        accepted=offer.accepted,
    )
