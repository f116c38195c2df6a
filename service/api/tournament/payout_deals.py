"""Deals: how those who are left divide what they play for."""

import re
from typing import Annotated

import msgspec
from litestar import Response
from msgspec import Meta

from engine.tournament.model.money_commands import AcceptDeal, DeclineDeal, ProposeDeal
from engine.tournament.model.money_values import DealMethod, DealShare, Offer
from engine.tournament.model.state import Running
from engine.values import EntrantId
from service.api.http.access import TournamentPlace
from service.api.http.nothing import Nothing
from service.api.http.operations import operation
from service.api.http.shell import Shell
from service.api.http.submitting import Order, answer, decide_one, encoded
from service.api.tournament.entrants import OwnEntry
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
    needs="own_entry", scope="tables:play", answer=DealAnswered, status=201,
    problems=(
        "frozen",
        "forbidden", "deal_not_possible", "deal_pending", "deal_amounts_wrong",
        "tournament_not_running",
    ),
)  # fmt: skip
async def propose_deal(
    body: DealWanted, place: TournamentPlace, mine: OwnEntry, order: Order, shell: Shell
) -> Response[bytes]:
    """Propose as an entrant who is still in."""
    return await _proposed(shell, body, place, order, mine)


@operation(
    "POST", "/v1/tournaments/{tournament_id:str}/deals/by-director", "propose_deal_as_director",
    "Offer everyone still in a division of what they play for, as a director.",
    needs="direct_play", scope="tournaments:manage", answer=DealAnswered,
    status=201,
    problems=(
        "frozen",
        "forbidden", "deal_not_possible", "deal_pending", "deal_amounts_wrong",
        "tournament_not_running",
    ),
)  # fmt: skip
async def propose_deal_as_director(
    body: DealWanted, place: TournamentPlace, order: Order, shell: Shell
) -> Response[bytes]:
    """Propose for them; each must still agree for oneself."""
    return await _proposed(shell, body, place, order, None)


async def _proposed(
    shell: Shell,
    body: DealWanted,
    place: TournamentPlace,
    order: Order,
    by: EntrantId | None,
) -> Response[bytes]:
    command = ProposeDeal(
        by=by,
        method=body.method,
        shares=tuple(
            DealShare(entrant=EntrantId(entrant), amount=amount)
            for entrant, amount in body.shares.items()
        ),
        play_for=body.play_for,
        ends=body.ends,
        now=shell.now(),
    )
    receipt = await with_stacks(shell.runtime, place.league, place.id, command, order.command)
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
async def read_deals(place: TournamentPlace) -> Response[bytes]:
    """Read from the aggregate."""
    books = place.state.books
    return encoded(DealsShown(offer=_shown(books.offer), made=_shown(books.deal)))


@operation(
    "POST", "/v1/tournaments/{tournament_id:str}/deals/{number:str}/accept", "accept_deal",
    "Agree to a deal that is offered to me.",
    needs="own_entry", scope="tables:play", body=Nothing, answer=DealAnswered,
    problems=("deal_not_open", "deal_not_possible", "tournament_not_running", "frozen"),
)  # fmt: skip
async def accept_deal(
    number: str, place: TournamentPlace, mine: OwnEntry, order: Order, shell: Shell
) -> Response[bytes]:
    """Agree; nobody can do it for another."""
    command = AcceptDeal(entrant=mine, offer=_number(number), now=shell.now())
    return await _answered(shell, place, order, command)


@operation(
    "POST", "/v1/tournaments/{tournament_id:str}/deals/{number:str}/decline", "decline_deal",
    "Decline a deal that is offered to me: it is void.",
    needs="own_entry", scope="tables:play", body=Nothing, answer=DealAnswered,
    problems=("deal_not_open", "tournament_not_running"),
)  # fmt: skip
async def decline_deal(
    number: str, place: TournamentPlace, mine: OwnEntry, order: Order, shell: Shell
) -> Response[bytes]:
    """Decline; nobody can do it for another."""
    command = DeclineDeal(entrant=mine, offer=_number(number), now=shell.now())
    return await _answered(shell, place, order, command)


def _number(named: str) -> int:
    if not _NUMBER.fullmatch(named):
        raise StreamNotFound("it does not exist, or you may not see it")
    return int(named)


async def _answered(
    shell: Shell, place: TournamentPlace, order: Order, command: AcceptDeal | DeclineDeal
) -> Response[bytes]:
    receipt = await decide_one(shell, place.league, place.id, order, [command])
    after = (await shell.runtime.writer.load(place.league, place.stream, fresh=False)).state
    if isinstance(after, Running) and after.closing:
        lead_on(shell.runtime, place.league, after)
    content = {"number": command.offer, "events": [each.type for each in receipt.recorded]}
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
