"""The money of a tournament: prizes, payments, and the books of its entrants."""

from collections.abc import Mapping
from typing import Annotated

import msgspec
from litestar import Response
from msgspec import Meta

from engine.league.roles import may
from engine.tournament.model.commands.money import RecordPayment, ReversePayment
from engine.tournament.model.state import Finished, Running
from engine.tournament.model.values.money import PaymentKind, Refund
from engine.tournament.money.handing_over import handed_over_to
from engine.tournament.money.pool import (
    Charged,
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
from service.api.http.access.phases import Tournament, entries_of, payouts_of
from service.api.http.access.rights import TournamentPlace
from service.api.http.operations import operation
from service.api.http.reading.called import names_of
from service.api.http.reading.etags import Tags
from service.api.http.reading.moments import AS_OF_PROBLEMS, Then, place_then
from service.api.http.shell import Shell
from service.api.http.writing.reasons import keep
from service.api.http.writing.submitting import Order, answer, decide_one, encoded
from service.people.texts import Written
from service.people.tokens import Principal


class MoneyShown(msgspec.Struct, kw_only=True):
    """The prizes as they stand, in minor units of the tournament's currency."""

    pool: int
    """The prize pool."""

    entries: int
    """The number of entrants who count as entered."""

    rebuys: int
    """The number of rebuys."""

    add_ons: int
    """The number of add-ons."""

    prizes: tuple[int, ...]
    """The prize of each place, first place first."""


class PaymentShown(msgspec.Struct, kw_only=True):
    """
    A recorded payment by an entrant. A ``refund`` went to the entrant instead. An entry that takes
    back another one has a negative amount.
    """

    kind: PaymentKind
    """The purpose of the payment."""

    amount: int
    """In minor units of the tournament's currency."""


class AccountShown(msgspec.Struct, kw_only=True):
    """The account of one entrant, or of a former entrant with recorded payments."""

    entrant: str
    player: str
    name: str | None
    """The player's name now."""

    charged: int
    """The price of the entry with bounty, rebuys and add-ons, in minor units."""

    charges: Charged
    """That price by purpose."""

    paid: int
    """Payments less refunds."""
    payments: tuple[PaymentShown, ...]
    """Recorded payments, oldest first."""

    knockouts: int
    """The number of opponents knocked out."""

    bounties: int
    """Bounties won, in minor units. The winner's own bounty counts."""
    payout: int
    """Money won for the place or by a deal, in minor units. 0 without a payout."""

    handed_over: int
    """The part of the payout that staff have handed over, in minor units."""

    refund: Refund | None
    """The refund owed because the tournament was cancelled."""


class LedgerShown(msgspec.Struct, kw_only=True):
    """
    The books of a tournament. Income equals spending plus what remains:

    ``paid + added + owed = prizes + bounties_won + refunds + pool + bounties + fees + credit +
    returned``.
    """

    currency: str | None
    """The currency (ISO 4217), or null if no money is played for."""

    version: int
    """The version of the tournament that the books include."""
    totals: Ledger
    """The sums over all entrants, in minor units."""

    accounts: tuple[AccountShown, ...]
    """Every account for staff who report results, otherwise only the caller's own."""


class PaymentWanted(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """A payment to record, in minor units of the tournament's currency."""

    entrant: str
    """The entrant who pays, or gets the refund."""

    kind: PaymentKind
    """The purpose of the payment. A `refund` goes to the entrant."""

    amount: Annotated[int, Meta(ge=1, le=2**50)]
    """In minor units of the tournament's currency."""


class ReversalWanted(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """A recorded payment to take back, in minor units of the tournament's currency."""

    entrant: str
    """The entrant who did not pay."""

    kind: PaymentKind
    """The purpose of the recorded payment."""

    amount: Annotated[int, Meta(ge=1, le=2**50)]
    """No more than was recorded for this purpose."""

    reason: Written
    """The reason, 1 to 2000 characters. Staff of the league can read it."""


class PaymentTaken(msgspec.Struct, kw_only=True):
    """A recorded payment, or its reversal."""

    entrant: str
    kind: PaymentKind
    """The purpose of the payment."""

    amount: int
    """In minor units of the tournament's currency. Negative for a reversal."""

    currency: str
    """The tournament's currency (ISO 4217)."""

    position: str | None


def money_shown(state: Known) -> MoneyShown:
    """Return the prize pool, the counts it comes from, and the prizes."""
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
    "Record a payment by an entrant, or a refund to one.",
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
    """Record a payment that staff saw. Holotable moves no money itself."""
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
    "POST", "/v1/tournaments/{tournament_id:str}/payments/reversals", "reverse_payment",
    "Take back a payment that was recorded by mistake. Both entries stay in the books.",
    needs="report_results", scope="tournaments:manage", answer=PaymentTaken,
    status=201, key_required=True,
    problems=(
        "forbidden", "payment_not_recorded", "payments_on_trust", "entrant_unknown",
        "tournament_over", "text_forged",
    ),
)  # fmt: skip
async def reverse_payment(
    body: ReversalWanted, place: TournamentPlace, order: Order, shell: Shell
) -> Response[bytes]:
    """Record the reversal. The payment may then be recorded again."""
    entrant = EntrantId(body.entrant)
    about = players_of(place.state).get(entrant)
    text = await keep(shell, place.league, order, body.reason, audience="staff", about=about)
    command = ReversePayment(
        entrant=entrant,
        kind=body.kind,
        amount=body.amount,
        by=PlayerId(order.actor),
        reason=text,
        now=order.received_at,
    )
    receipt = await decide_one(shell, place.league, place.id, order, [command])
    content = {
        "entrant": body.entrant,
        "kind": body.kind,
        "amount": -body.amount,
        "currency": place.state.terms.currency,
    }
    return answer(receipt, content, version_of=place.stream)


@operation(
    "GET", "/v1/tournaments/{tournament_id:str}/ledger", "read_tournament_ledger",
    "Read a tournament's books: income, spending, and what remains.",
    needs="read_league", scope="leagues:read", answer=LedgerShown,
    problems=AS_OF_PROBLEMS,
)  # fmt: skip
async def read_tournament_ledger(
    place: TournamentPlace, shell: Shell, principal: Principal, then: Then, tags: Tags
) -> Response[bytes]:
    """Show all accounts to staff who report results, and to others only their own."""
    moment = await then.moment(place.league)
    if moment is not None:
        place = await place_then(place, moment)
    player = principal.account.player
    staff = may(place.role, "report_results")
    totals = ledger_of(place.state)
    if totals is None:
        raise LookupError("a tournament that is reached has been announced")
    players = players_of(place.state).values() if staff else [player]
    accounts = _accounts(place.state, await names_of(shell, players))
    shown = LedgerShown(
        currency=place.state.terms.currency,
        version=place.loaded.version,
        totals=totals,
        accounts=tuple(each for each in accounts if staff or each.player == player),
    )
    if moment is not None:
        return encoded(shown, headers=moment.headers)
    return tags.answer(shown, place.loaded.version, whole=True)


def players_of(state: Tournament) -> dict[EntrantId, PlayerId]:
    """Return the players of all accounts by entrant."""
    return {
        **{each.entrant: each.player for each in entries_of(state)},
        **{each.entrant: each.player for each in state.books.payments},
    }


def _accounts(state: Tournament, called: Mapping[str, str]) -> list[AccountShown]:
    books, terms = state.books, state.terms
    charged = charged_to(terms, books, entrants_of(state))
    on_trust = terms.fees.payment == "on_trust"
    knockouts = knockouts_of(state) if isinstance(state, Running | Finished) else {}
    payouts = {each.entrant: each.amount for each in payouts_of(state)}
    refunds = {each.entrant: each for each in books.refunds}
    won: dict[str, int] = {}
    for each in books.bounties:
        won[each.by] = won.get(each.by, 0) + each.amount
    accounts: list[AccountShown] = []
    for entrant, player in players_of(state).items():
        charges = charged.get(entrant, Charged())
        whole = charges.whole
        mine = [each for each in books.payments if each.entrant == entrant]
        accounts.append(
            AccountShown(
                entrant=entrant,
                player=player,
                name=called.get(player),
                charged=whole,
                charges=charges,
                paid=whole if on_trust else paid_by(books, entrant),
                payments=tuple(PaymentShown(kind=each.kind, amount=each.amount) for each in mine),
                knockouts=knockouts.get(entrant, 0),
                bounties=won.get(entrant, 0),
                payout=payouts.get(entrant, 0),
                handed_over=handed_over_to(books, entrant),
                refund=refunds.get(entrant),
            )
        )
    return accounts
