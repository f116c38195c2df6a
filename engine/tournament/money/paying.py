"""Payments that staff write down, and the add-ons that entrants take."""

from engine.errors import InvariantViolated
from engine.rulesets import OpenEnd
from engine.tournament.errors import EntrantUnknown, TournamentNotAnnounced, TournamentOver
from engine.tournament.money.commands import RecordPayment, TakeAddOn
from engine.tournament.money.errors import AddOnNotAllowed, PaymentNotDue, PaymentsOnTrust
from engine.tournament.money.events import AddOnTaken, PaymentRecorded
from engine.tournament.money.pool import Charged, charged_to, entrants_of
from engine.tournament.money.values import Books, PaymentKind
from engine.tournament.state import Cancelled, State, Unannounced, phase_of, running_of
from engine.values import EntrantId


def record_payment(state: State, command: RecordPayment) -> tuple[PaymentRecorded, ...]:
    """
    Write down a payment.

    Raises:
        PaymentsOnTrust: If this tournament takes every entry as paid.
        EntrantUnknown: If the entrant neither entered nor paid.
        PaymentNotDue: If more is paid than owed for it, or given back than is left over.
        TournamentOver: If it was cancelled, and everyone has been given back what was paid.

    Source: rulebook ``payment.recorded``.
    """
    if isinstance(state, Unannounced):
        raise TournamentNotAnnounced
    terms, books = state.terms, state.books
    if terms.fees.payment == "on_trust":
        raise PaymentsOnTrust
    if isinstance(state, Cancelled):
        raise TournamentOver(phase=phase_of(state))
    if terms.currency is None:
        raise InvariantViolated("payments are recorded without a currency")
    entered = command.entrant in entrants_of(state)
    if not entered and all(each.entrant != command.entrant for each in books.payments):
        raise EntrantUnknown
    owed = charged_to(terms, books, (command.entrant,))[command.entrant] if entered else Charged()
    due = _due(owed, books, command.entrant, command.kind)
    if not 0 < command.amount <= due:
        raise PaymentNotDue(kind=command.kind, amount=command.amount, due=due)
    return (
        PaymentRecorded(
            entrant=command.entrant,
            kind=command.kind,
            amount=command.amount,
            currency=terms.currency,
            by=command.by,
            rule="payment.recorded",
        ),
    )


def _due(owed: Charged, books: Books, entrant: EntrantId, kind: PaymentKind) -> int:
    mine = [each for each in books.payments if each.entrant == entrant]
    if kind != "refund":
        paid = sum(each.amount for each in mine if each.kind == kind)
        return int(getattr(owed, kind)) - paid
    return -owed.whole + sum(
        -each.amount if each.kind == "refund" else each.amount for each in mine
    )


def take_add_on(state: State, command: TakeAddOn) -> tuple[AddOnTaken, ...]:
    """
    Buy the chips that the terms sell while play stands; they come to the seat at once.

    Raises:
        TournamentNotRunning: If play has not begun, or is over.
        AddOnNotAllowed: If there is none (left), or play does not stand.

    Source: rulebook ``add_on``.
    """
    running = running_of(state)
    offered = running.terms.fees.add_on
    if offered is None or isinstance(running.terms.ruleset.end, OpenEnd):
        raise AddOnNotAllowed(reason="none_offered")
    if not running.paused:
        raise AddOnNotAllowed(reason="not_at_a_break")
    if running.books.deal is not None:
        raise AddOnNotAllowed(reason="deal_made")
    taken = running.books.add_ons.count(command.entrant)
    if taken >= offered.max:
        raise AddOnNotAllowed(reason="none_left")
    table = next((each for each in running.tables if each.seat_of(command.entrant)), None)
    seat = None if table is None else table.seat_of(command.entrant)
    if table is None or seat is None:
        raise AddOnNotAllowed(reason="out")
    return (
        AddOnTaken(
            entrant=command.entrant,
            table=table.table,
            seat=seat,
            chips=offered.chips,
            number=taken + 1,
            rule="add_on",
        ),
    )
