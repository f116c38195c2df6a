"""Payments that staff record, and add-ons that entrants take."""

from engine.errors import InvariantViolated
from engine.rulesets import OpenEnd
from engine.tournament.model.acting import acting_for
from engine.tournament.model.commands.money import RecordPayment, ReversePayment, TakeAddOn
from engine.tournament.model.errors import EntrantUnknown, TournamentNotAnnounced, TournamentOver
from engine.tournament.model.errors.money import (
    AddOnNotAllowed,
    PaymentNotDue,
    PaymentNotRecorded,
    PaymentsOnTrust,
)
from engine.tournament.model.events.money import AddOnTaken, PaymentRecorded, PaymentReversed
from engine.tournament.model.state import (
    Announced,
    Cancelled,
    Drafted,
    Running,
    Seating,
    State,
    Unannounced,
    phase_of,
    running_of,
)
from engine.tournament.model.values.money import Books, PaymentKind
from engine.tournament.money.pool import (
    Charged,
    Known,
    charged_to,
    entrants_of,
    owed_back,
    paid_by,
)
from engine.values import EntrantId, PlayerId


def record_payment(state: State, command: RecordPayment) -> tuple[PaymentRecorded, ...]:
    """
    Record a payment.

    Raises:
        PaymentsOnTrust: If the tournament counts every entry as paid.
        EntrantUnknown: If the entrant neither entered nor paid.
        PaymentNotDue: If the payment exceeds the charge, or the refund exceeds the overpayment.
        TournamentOver: If the tournament was cancelled. Overpayments may still be given back.

    Source: rulebook ``payment.recorded``.
    """
    known, player, currency = _payable(state, command.entrant, refunds=command.kind == "refund")
    due = _due(known, command.entrant, command.kind)
    if not 0 < command.amount <= due:
        raise PaymentNotDue(kind=command.kind, amount=command.amount, due=due)
    return (
        PaymentRecorded(
            entrant=command.entrant,
            player=player,
            kind=command.kind,
            amount=command.amount,
            currency=currency,
            by=command.by,
            rule="payment.recorded",
        ),
    )


def reverse_payment(state: State, command: ReversePayment) -> tuple[PaymentReversed, ...]:
    """
    Take back a payment, or a part of it, that was recorded by mistake.

    Raises:
        PaymentsOnTrust: If the tournament counts every entry as paid.
        EntrantUnknown: If the entrant neither entered nor paid.
        PaymentNotRecorded: If less was recorded for this purpose, or was given back since.
        TournamentOver: If the tournament was cancelled. Its refunds follow from the payments.

    Source: rulebook ``payment.reversed``.
    """
    known, player, currency = _payable(state, command.entrant, refunds=False)
    recorded = _recorded(known.books, command.entrant, command.kind)
    if command.kind != "refund":
        # A refund shows that the payment was made. To reverse the payment, reverse the refund
        # first.
        recorded = min(recorded, paid_by(known.books, command.entrant))
    if not 0 < command.amount <= recorded:
        raise PaymentNotRecorded(kind=command.kind, amount=command.amount, recorded=recorded)
    return (
        PaymentReversed(
            entrant=command.entrant,
            player=player,
            kind=command.kind,
            amount=command.amount,
            currency=currency,
            by=command.by,
            reason=command.reason,
            rule="payment.reversed",
        ),
    )


def _payable(state: State, entrant: EntrantId, *, refunds: bool) -> tuple[Known, PlayerId, str]:
    """
    Return the tournament, the player of a present or former entry, and the currency.

    Args:
        refunds: True if the payment gives money back, which is due even after a cancellation.
    """
    if isinstance(state, Unannounced | Drafted):
        raise TournamentNotAnnounced
    if state.terms.fees.payment == "on_trust":
        raise PaymentsOnTrust
    if isinstance(state, Cancelled) and not refunds:
        raise TournamentOver(phase=phase_of(state))
    if state.terms.currency is None:
        raise InvariantViolated("payments are recorded without a currency")
    entries = () if isinstance(state, Announced) else state.entrants
    known = {each.entrant: each.player for each in state.books.payments}
    known |= {each.entrant: each.player for each in entries}
    if entrant not in known:
        raise EntrantUnknown
    return state, known[entrant], state.terms.currency


def _due(state: Known, entrant: EntrantId, kind: PaymentKind) -> int:
    """Return the most that may be paid, or given back, as *kind*."""
    books = state.books
    charged = charged_to(state.terms, books, entrants_of(state)).get(entrant, Charged())
    if kind == "refund":
        return paid_by(books, entrant) - charged.whole - owed_back(books, entrant)
    return charged.for_kind(kind) - _recorded(books, entrant, kind)


def _recorded(books: Books, entrant: EntrantId, kind: PaymentKind) -> int:
    """Return what was recorded for a purpose, less what was reversed."""
    same = (each for each in books.payments if (each.entrant, each.kind) == (entrant, kind))
    return sum(each.amount for each in same)


def no_add_on(running: Running, entrant: EntrantId) -> str | None:
    """Return why an entrant cannot take the add-on of the terms now, or None if they can."""
    offered = running.terms.fees.add_on
    if offered is None or isinstance(running.terms.ruleset.end, OpenEnd):
        return "none_offered"
    if not running.paused and running.floor.rest is None:
        return "not_at_a_break"
    if running.no_hand_follows:
        return "no_hand_left"
    if running.books.deal is not None:
        return "deal_made"
    if running.books.add_ons.count(entrant) >= offered.max:
        return "none_left"
    return "out" if _seating(running, entrant) is None else None


def _seating(running: Running, entrant: EntrantId) -> Seating | None:
    return next((each for each in running.tables if each.seat_of(entrant)), None)


def take_add_on(state: State, command: TakeAddOn) -> tuple[AddOnTaken, ...]:
    """
    Take the add-on of the terms during a stop of play. The chips come to the seat at once.

    Raises:
        TournamentNotRunning: If play has not begun, or is over.
        AddOnNotAllowed: If there is no add-on left, or play is not stopped.

    Source: rulebook ``add_on``.
    """
    running = running_of(state)
    reason = no_add_on(running, command.entrant)
    offered, table = running.terms.fees.add_on, _seating(running, command.entrant)
    seat = None if table is None else table.seat_of(command.entrant)
    if reason is not None or offered is None or table is None or seat is None:
        raise AddOnNotAllowed(reason=reason or "out")
    taken = running.books.add_ons.count(command.entrant)
    return (
        AddOnTaken(
            entrant=command.entrant,
            table=table.table,
            seat=seat,
            chips=offered.chips,
            number=taken + 1,
            by=acting_for(running, command),
            rule="add_on",
        ),
    )
