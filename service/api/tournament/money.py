"""A tournament's money: what there is to win, what was paid, and who is owed what."""

from typing import Annotated

import msgspec
from litestar import Response
from msgspec import Meta

from engine.league.roles import may
from engine.tournament.model.money_commands import RecordPayment
from engine.tournament.model.money_values import PaymentKind, Refund
from engine.tournament.model.state import Finished, Running
from engine.tournament.money.pool import (
    Known,
    Ledger,
    charged_to,
    entrants_of,
    knockouts_of,
    ledger_of,
    paid_by,
    pool_of,
)
from engine.tournament.money.prizes import prizes
from engine.values import EntrantId, PlayerId
from service.api.http.access import TournamentPlace
from service.api.http.moments import AS_OF_PROBLEMS, moment_of, place_then
from service.api.http.operations import operation
from service.api.http.phases import Tournament, entries_of, payouts_of
from service.api.http.shell import Asked, Shell
from service.api.http.submitting import Order, answer, decide_one, encoded
from service.people.tokens import Principal


class MoneyShown(msgspec.Struct, kw_only=True):
    """What there is to win as things stand, in minor units of the tournament's currency."""

    pool: int
    entries: int
    rebuys: int
    add_ons: int
    prizes: tuple[int, ...]
    """What the places are worth, first place first."""


class PaymentShown(msgspec.Struct, kw_only=True):
    """Money that staff saw change hands; a ``refund`` went to the entrant."""

    kind: PaymentKind
    amount: int


class AccountShown(msgspec.Struct, kw_only=True):
    """One entrant's money; also of who has withdrawn, having paid something."""

    entrant: str
    player: str
    charged: int
    paid: int
    """Less what was given back."""
    payments: tuple[PaymentShown, ...]
    knockouts: int
    bounties: int
    """Won, its own included."""
    payout: int
    refund: Refund | None
    """What a cancelled tournament owes it."""


class LedgerShown(msgspec.Struct, kw_only=True):
    """
    The books; what came in is what went out and what is left.

    ``paid + added + owed = prizes + bounties_won + refunds + pool + bounties + fees + credit +
    returned``.
    """

    currency: str | None
    version: int
    """Of the tournament: up to which of its events this is so."""
    totals: Ledger
    accounts: tuple[AccountShown, ...]
    """Of everyone who entered for staff, else the caller's own."""


class PaymentWanted(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """Money that staff saw change hands."""

    entrant: str
    kind: PaymentKind
    amount: Annotated[int, Meta(ge=1, le=2**50)]


class PaymentTaken(msgspec.Struct, kw_only=True):
    """A payment that was written down."""

    entrant: str
    kind: PaymentKind
    amount: int
    currency: str
    position: str | None


def money_shown(state: Known) -> MoneyShown:
    """Return what a member sees of a tournament's money."""
    entrants = entrants_of(state)
    pool = pool_of(state.terms, state.books, entrants)
    return MoneyShown(
        pool=pool,
        entries=len(entrants),
        rebuys=len(state.books.rebuys),
        add_ons=len(state.books.add_ons),
        prizes=prizes(state.terms, pool=pool, entrants=len(entrants)),
    )


@operation(
    "POST", "/v1/tournaments/{tournament_id:str}/payments", "record_payment",
    "Write down what an entrant has paid, or was given back.",
    needs="report_results", scope="tournaments:manage", answer=PaymentTaken,
    status=201, key_required=True,
    problems=(
        "frozen",
        "forbidden", "payment_not_due", "payments_on_trust", "entrant_unknown", "tournament_over",
    ),
)  # fmt: skip
async def record_payment(
    body: PaymentWanted, place: TournamentPlace, order: Order, shell: Shell, principal: Principal
) -> Response[bytes]:
    """Record; no money moves by it."""
    command = RecordPayment(
        entrant=EntrantId(body.entrant),
        kind=body.kind,
        amount=body.amount,
        by=PlayerId(principal.account.player),
        now=shell.now(),
    )
    receipt = await decide_one(shell, place.league, place.id, order, [command])
    content = msgspec.structs.asdict(body) | {"currency": place.state.terms.currency}
    return answer(receipt, content, version_of=place.stream)


@operation(
    "GET", "/v1/tournaments/{tournament_id:str}/ledger", "read_ledger",
    "A tournament's books: what came in, what went out, what is left.",
    needs="read_league", scope="leagues:read", answer=LedgerShown, query=("as_of",),
    problems=AS_OF_PROBLEMS,
)  # fmt: skip
async def read_ledger(
    request: Asked, place: TournamentPlace, principal: Principal
) -> Response[bytes]:
    """Show all accounts to staff, and the caller's own to everyone else."""
    moment = await moment_of(request, place.league)
    headers = {"ETag": f'"{place.loaded.version}"'}
    if moment is not None:
        place, headers = await place_then(place, moment), moment.headers
    player = principal.account.player
    staff = may(place.role, "report_results")
    totals = ledger_of(place.state)
    if totals is None:
        raise LookupError("a tournament that is reached has been announced")
    shown = LedgerShown(
        currency=place.state.terms.currency,
        version=place.loaded.version,
        totals=totals,
        accounts=tuple(each for each in _accounts(place.state) if staff or each.player == player),
    )
    return encoded(shown, headers=headers)


def _accounts(state: Tournament) -> list[AccountShown]:
    books, terms = state.books, state.terms
    charged = charged_to(terms, books, entrants_of(state))
    on_trust = terms.fees.payment == "on_trust"
    knockouts = knockouts_of(state) if isinstance(state, Running | Finished) else {}
    payouts = {each.entrant: each.amount for each in payouts_of(state)}
    refunds = {each.entrant: each for each in books.refunds}
    won: dict[str, int] = {}
    for each in books.bounties:
        won[each.by] = won.get(each.by, 0) + each.amount
    accounts = []
    entries = entries_of(state)
    for entrant, player in {
        **{each.entrant: each.player for each in entries},
        **{each.entrant: each.player for each in books.payments},
    }.items():
        whole = charged[entrant].whole if entrant in charged else 0
        mine = [each for each in books.payments if each.entrant == entrant]
        accounts.append(
            AccountShown(
                entrant=entrant,
                player=player,
                charged=whole,
                paid=whole if on_trust else paid_by(books, entrant),
                payments=tuple(PaymentShown(kind=each.kind, amount=each.amount) for each in mine),
                knockouts=knockouts.get(entrant, 0),
                bounties=won.get(entrant, 0),
                payout=payouts.get(entrant, 0),
                refund=refunds.get(entrant),
            )
        )
    return accounts
