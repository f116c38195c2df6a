"""Payout deals: the remaining entrants divide the prizes by agreement."""

import re
from typing import Annotated

import msgspec
from litestar import Response
from msgspec import Meta

from engine.tournament.model.commands.money import AcceptDeal, DeclineDeal, ProposeDeal
from engine.tournament.model.state import Running
from engine.tournament.model.values.money import DealMethod, DealShare, Offer
from engine.tournament.money.dealing import Obstacle, obstacle
from engine.values import EntrantId
from service.api.http.access.rights import TournamentPlace
from service.api.http.declaring.nothing import Nothing
from service.api.http.operations import operation
from service.api.http.shell import Shell
from service.api.http.writing.submitting import Order, answer, decide_one, encoded
from service.api.tournament.entrants import OwnEntry
from service.base.errors import StreamNotFound
from service.director.next_hand import lead_on
from service.director.whole_table import with_stacks

_NUMBER = re.compile("[1-9][0-9]{0,8}")


class DealWanted(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """A division of the prizes that the remaining entrants play for."""

    method: DealMethod
    """`by_chips` and `equal` compute the shares. `explicit` takes those in `shares`."""

    shares: dict[str, Annotated[int, Meta(ge=0, le=2**50)]] = {}
    """Amounts by entrant for ``explicit``. With ``play_for`` they add up to all prizes left."""

    play_for: Annotated[int, Meta(ge=0, le=2**50)] = 0
    """The money left for the winner, in minor units of the tournament's currency."""

    ends: bool = False
    """If true, the deal ends play, and chips decide the places."""


class DealShown(msgspec.Struct, kw_only=True):
    """A payout deal, either proposed or made."""

    number: int
    """The number of the deal, by which it is accepted or declined. Deals count from 1."""

    by: str | None
    """Null if a director proposed the deal."""
    method: DealMethod
    """The way in which the shares were found."""

    shares: dict[str, int]
    """The fixed part of each entrant, in minor units of the currency."""

    play_for: int
    """The money left for the winner, in minor units of the currency."""

    ends: bool
    """True if the deal ends play, and chips decide the places."""

    accepted: tuple[str, ...]
    """The entrants who have accepted so far."""


class DealsShown(msgspec.Struct, kw_only=True):
    """The proposed payout deal and the latest deal made, if any."""

    offer: DealShown | None
    """The deal that waits for acceptances, or null."""

    made: DealShown | None
    """The latest deal that everybody accepted, or null."""

    obstacle: Obstacle | None
    """
    The reason for which no deal can be proposed now, or null. `others_may_still_enter` until late
    registration closes, `somebody_may_come_back` while a rebuy window is open or a player who lost
    the last chip has no place yet.
    """


class DealAnswered(msgspec.Struct, kw_only=True):
    """The effect of a command on a deal. ``events`` lists the types of its events, in order."""

    number: int
    """The number of the deal."""

    events: tuple[str, ...]
    """Types of events, such as `deal_proposed`."""

    position: str | None


_PROPOSAL_PROBLEMS = (
    "frozen", "forbidden", "deal_not_possible", "deal_pending", "deal_amounts_wrong",
    "tournament_not_running",
)  # fmt: skip


@operation(
    "POST", "/v1/tournaments/{tournament_id:str}/deals", "propose_deal",
    "Propose a payout deal to the other remaining entrants.",
    needs="own_entry", scope="tables:play", answer=DealAnswered, status=201,
    problems=_PROPOSAL_PROBLEMS,
    key_required=True,
)  # fmt: skip
async def propose_deal(
    body: DealWanted, place: TournamentPlace, mine: OwnEntry, order: Order, shell: Shell
) -> Response[bytes]:
    """Propose the deal as one of the remaining entrants."""
    return await _proposed(shell, body, place, order, mine)


@operation(
    "POST", "/v1/tournaments/{tournament_id:str}/deals/by-director", "propose_deal_as_director",
    "Propose a payout deal to the remaining entrants, as a director.",
    needs="direct_play", scope="tournaments:manage", answer=DealAnswered,
    status=201,
    problems=_PROPOSAL_PROBLEMS,
    key_required=True,
)  # fmt: skip
async def propose_deal_as_director(
    body: DealWanted, place: TournamentPlace, order: Order, shell: Shell
) -> Response[bytes]:
    """Propose a deal as a director. Every remaining entrant must still accept it."""
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
    receipt = await with_stacks(shell.runtime, place.league, place.id, command, order)
    content = {
        "number": receipt.recorded[0].event.number,
        "events": [each.type for each in receipt.recorded],
    }
    return answer(receipt, content, version_of=place.stream)


@operation(
    "GET", "/v1/tournaments/{tournament_id:str}/deals", "read_deals",
    "Read the proposed payout deal and the latest deal made.",
    needs="read_league", scope="leagues:read", answer=DealsShown,
)  # fmt: skip
async def read_deals(place: TournamentPlace) -> Response[bytes]:
    """Read both deals from the books of the aggregate."""
    books = place.state.books
    found = DealsShown(
        offer=_shown(books.offer), made=_shown(books.deal), obstacle=obstacle(place.state)
    )
    return encoded(found)


@operation(
    "POST", "/v1/tournaments/{tournament_id:str}/deals/{number:str}/accept", "accept_deal",
    "Accept a payout deal.",
    needs="own_entry", scope="tables:play", body=Nothing, answer=DealAnswered,
    problems=("deal_not_open", "deal_not_possible", "tournament_not_running", "frozen"),
)  # fmt: skip
async def accept_deal(
    number: str, place: TournamentPlace, mine: OwnEntry, order: Order, shell: Shell
) -> Response[bytes]:
    """Accept for the caller only. The last acceptance makes the deal."""
    command = AcceptDeal(entrant=mine, offer=_number(number), now=shell.now())
    return await _answered(shell, place, order, command)


@operation(
    "POST", "/v1/tournaments/{tournament_id:str}/deals/{number:str}/decline", "decline_deal",
    "Decline a payout deal, which then lapses for everyone.",
    needs="own_entry", scope="tables:play", body=Nothing, answer=DealAnswered,
    problems=("deal_not_open", "tournament_not_running"),
)  # fmt: skip
async def decline_deal(
    number: str, place: TournamentPlace, mine: OwnEntry, order: Order, shell: Shell
) -> Response[bytes]:
    """Decline for the caller only. One refusal voids the deal."""
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
