"""The money of an evening: amounts due, paid and owed, and the prizes handed over."""

import asyncio

import msgspec

from service.api.me.accounts import Me
from service.api.tournament.money import AccountShown, LedgerShown, PaymentWanted
from service.api.tournament.tournaments import TournamentShown
from service.base.letters import by_name
from service.console import links
from service.console.asking import Ask
from service.console.calling import Body
from service.console.declaring import form, page
from service.console.forms import Given, command
from service.console.numbers import minor, whole
from service.console.pages import Done, Page
from service.console.screens.evening.dues import (
    account_of,
    bought,
    entry_parts,
    later_parts,
    pay_for,
    total,
)
from service.console.screens.evening.entry import OVER
from service.console.screens.evening.waitlist import in_line
from service.console.words import Words

_PLANS = frozenset({"owner", "director"})
_NOT_PLAYED = OVER | {"draft"}
_REPORTS = frozenset({"owner", "director", "scorer"})


class AccountSeen(msgspec.Struct, kw_only=True):
    """A player's account with the house, in minor units."""

    entrant: str
    player: str
    name: str | None
    charged: int
    paid: int
    owed: int
    """The amount not paid yet. It is below 0 if the house owes the player."""

    give_back: int
    """The amount that the house owes the player, without prizes."""

    left: bool
    """True for somebody who is no longer entered, but has paid."""

    entry_due: int
    """The part of the entry that is not paid."""

    later_due: int
    """The part of rebuys and add-ons that is not paid."""

    later: tuple[str, ...]
    """Its purpose: `rebuy`, `add_on` or both."""

    undo: tuple[tuple[str, int], ...]
    """The payments that may be taken back as never made: each purpose with its amount."""

    refunded: int
    """The refunds that may be taken back as never given."""

    payout: int
    handed_over: int


class MoneyScreen(msgspec.Struct, kw_only=True):
    """The page of an evening's money."""

    id: str
    league: str
    name: str
    currency: str | None
    finished: bool
    recorded: bool
    """True if payments are recorded, false if what is owed counts as paid."""

    may_record: bool
    gives_back: bool
    """True if the reader may record that money was given back. A cancellation decides refunds."""

    may_set: bool
    """True if the reader may set the prizes."""

    paid: int
    owed: int
    fees: int
    pool: int
    prizes: int
    credit: int
    handed_over: int
    """The prizes that were handed over, as far as the reader sees the accounts."""

    till: int
    """The money that is left of the payments and of what the house adds."""

    accounts: tuple[AccountSeen, ...]
    """The accounts by name."""

    waiting: tuple[str, ...]
    """The names of those who wait for a place, for readers who report results."""

    i_wait: bool
    """True for a reader who waits for a place."""


@page("/tournaments/{tournament:str}/money")
async def money(ask: Ask, tournament: str) -> Page:
    """Show every account to staff who report results, and to other readers their own."""
    path = f"/v1/tournaments/{tournament}"
    me, shown, books = await asyncio.gather(
        ask.me(),
        ask.api.get(path, TournamentShown),
        ask.api.get(f"{path}/ledger", LedgerShown),
    )
    totals, role = books.totals, me.role_in(shown.league)
    may_record = reports(me, shown)
    entered = {each.id for each in shown.entrants}
    handed_over = sum(each.handed_over for each in books.accounts)
    waiting = [] if shown.state in _NOT_PLAYED else in_line(shown)
    i_wait = any(each.player == me.id for each in waiting)
    screen = MoneyScreen(
        id=shown.id,
        league=shown.league,
        name=shown.name,
        currency=books.currency,
        finished=shown.state == "finished",
        recorded=shown.fees.payment == "recorded",
        may_record=may_record,
        gives_back=may_record and shown.state != "cancelled",
        may_set=shown.my is None and role in _PLANS and shown.state not in _NOT_PLAYED,
        paid=totals.paid,
        owed=totals.owed,
        fees=totals.fees,
        pool=shown.money.pool,
        prizes=totals.prizes,
        credit=totals.credit,
        handed_over=handed_over,
        till=totals.paid + totals.added - totals.returned - handed_over,
        accounts=tuple(
            _account(each, shown, left=each.entrant not in entered)
            for each in sorted(books.accounts, key=lambda each: by_name(each.name))
        ),
        waiting=tuple(each.name for each in waiting if each.name and role in _REPORTS),
        i_wait=i_wait,
    )
    return Page("evening/money.html", screen)


@form("/tournaments/{tournament:str}/money/entry", of=money)
async def take_entry(ask: Ask, given: Given, tournament: str) -> Done | Page:
    """Record all parts of an entry that are not paid yet."""
    await pay_for(ask, given, tournament, given.text("entrant"), entry_parts)
    return _has_paid(ask, given, tournament)


@form("/tournaments/{tournament:str}/money/later", of=money)
async def take_later(ask: Ask, given: Given, tournament: str) -> Done | Page:
    """Record the rebuys and add-ons of a player that are not paid yet."""
    await pay_for(ask, given, tournament, given.text("entrant"), later_parts)
    return _has_paid(ask, given, tournament)


def _has_paid(ask: Ask, given: Given, tournament: str) -> Done:
    said = ask.gettext("%(name)s has paid.") % {"name": given.text("name")}
    return Done(links.money(tournament), said)


@form("/tournaments/{tournament:str}/money/payment", of=money)
async def record(ask: Ask, given: Given, tournament: str) -> Done | Page:
    """Record any payment, or a refund, by hand."""
    books = await ask.api.get(f"/v1/tournaments/{tournament}/ledger", LedgerShown)
    amount = minor(given.text("amount"), books.currency, "amount")
    return await command(
        ask, given, "POST", f"/v1/tournaments/{tournament}/payments",
        given.into(PaymentWanted, amount=amount),
        said=ask.gettext("The payment is recorded."), to=links.money(tournament),
    )  # fmt: skip


@form("/tournaments/{tournament:str}/money/back", of=money)
async def give_back(ask: Ask, given: Given, tournament: str) -> Done | Page:
    """Record that a player got back what was paid for nothing, such as an entry given up."""
    books = await ask.api.get(f"/v1/tournaments/{tournament}/ledger", LedgerShown)
    amount = whole(given.text("amount")) or 0
    sum_ = Words(ask.language).money(amount, books.currency).striptags()
    said = ask.gettext("It is recorded that %(name)s got %(amount)s back.")
    return await command(
        ask, given, "POST", f"/v1/tournaments/{tournament}/payments",
        {"entrant": given.text("entrant"), "kind": "refund", "amount": amount},
        said=said % {"name": given.text("name"), "amount": sum_}, to=links.money(tournament),
    )  # fmt: skip


@form("/tournaments/{tournament:str}/money/undo", of=money)
async def undo_payment(ask: Ask, given: Given, tournament: str) -> Done | Page:
    """Take back what was recorded as paid by mistake. The books keep both entries."""
    path, kind = f"/v1/tournaments/{tournament}", given.text("kind")
    books = await ask.api.get(f"{path}/ledger", LedgerShown)
    amount = whole(given.text("amount")) or 0
    body = {
        "entrant": given.text("entrant"),
        "kind": kind,
        "amount": amount,
        "reason": mistake(ask, given),
    }
    sum_ = Words(ask.language).money(amount, books.currency).striptags()
    if kind == "refund":
        said = ask.gettext("It is recorded that %(name)s did not get %(amount)s back.")
    else:
        said = ask.gettext("It is recorded that %(name)s has not paid %(amount)s.")
    return await command(
        ask, given, "POST", f"{path}/payments/reversals", body,
        said=said % {"name": given.text("name"), "amount": sum_}, to=links.money(tournament),
    )  # fmt: skip


@form("/tournaments/{tournament:str}/money/prize", of=money)
async def hand_over(ask: Ask, given: Given, tournament: str) -> Done | Page:
    """Record that a prize was handed over, and say what the player still owes."""
    books = await ask.api.get(f"/v1/tournaments/{tournament}/ledger", LedgerShown)
    account = account_of(books, given.text("entrant"))
    said = ask.gettext("The prize is handed over.")
    if account is not None and (owed := account.charged - account.paid) > 0:
        sum_ = Words(ask.language).money(owed, books.currency).striptags()
        owes = ask.gettext("%(name)s still owes %(amount)s.")
        said += " " + owes % {"name": account.name or ask.gettext("The player"), "amount": sum_}
    return await _prize(ask, given, tournament, "handed-over", said)


@form("/tournaments/{tournament:str}/money/prize/back", of=money)
async def take_back(ask: Ask, given: Given, tournament: str) -> Done | Page:
    """Record that a player gave back what a correction took from the prize."""
    return await _prize(ask, given, tournament, "returned", ask.gettext("The prize is taken back."))


@form("/tournaments/{tournament:str}/money/prize/undo", of=money)
async def undo_prize(ask: Ask, given: Given, tournament: str) -> Done | Page:
    """Take back the record of a prize, or a part of it. The books keep both entries."""
    books = await ask.api.get(f"/v1/tournaments/{tournament}/ledger", LedgerShown)
    said = ask.gettext("It is recorded that the prize was not handed over.")
    # A second person may have taken back the same part. The API compares, as it knows a form sent
    # twice.
    shown = whole(given.text("amount"))
    body: dict[str, object] = {"reason": mistake(ask, given), "recorded": shown}
    if given.text("part"):
        body["amount"] = part = minor(given.text("part"), books.currency, "part")
        sum_ = Words(ask.language).money(part, books.currency).striptags()
        said = ask.gettext("It is recorded that %(amount)s of the prize was not handed over.")
        said %= {"amount": sum_}
    return await _prize(ask, given, tournament, "reversals", said, body)


def reports(me: Me, shown: TournamentShown) -> bool:
    """Return whether the reader may report results. The API decides; this only hides buttons."""
    return me.role_in(shown.league) in _REPORTS and shown.my is None


async def _prize(
    ask: Ask, given: Given, tournament: str, what: str, said: str, body: Body = None
) -> Done | Page:
    path = f"/v1/tournaments/{tournament}/prizes/{given.text('entrant')}/{what}"
    return await command(ask, given, "POST", path, body, said=said, to=links.money(tournament))


def mistake(ask: Ask, given: Given) -> str:
    """Return the reason to take a record back."""
    return given.text("reason") or ask.gettext("Recorded by mistake")


def _recorded(account: AccountShown) -> list[tuple[str, int]]:
    """Return what is recorded for each purpose, less what was given back since."""
    found: dict[str, int] = {}
    for each in account.payments:
        found[each.kind] = found.get(each.kind, 0) + each.amount
    return [
        (kind, min(amount, account.paid))
        for kind, amount in found.items()
        if kind != "refund" and amount > 0 and account.paid > 0
    ]


def _refunded(account: AccountShown) -> int:
    """Return the refunds that are recorded, less those taken back since."""
    return max(0, sum(each.amount for each in account.payments if each.kind == "refund"))


def _account(account: AccountShown, shown: TournamentShown, *, left: bool) -> AccountSeen:
    refund = account.refund
    owed = account.charged - account.paid
    back = max(0, -owed) if refund is None else refund.amount
    later = later_parts(account, shown)
    return AccountSeen(
        entrant=account.entrant,
        player=account.player,
        name=account.name,
        charged=account.charged,
        paid=account.paid,
        owed=owed,
        give_back=back,
        left=left,
        entry_due=total(entry_parts(account, shown)),
        later_due=total(later),
        later=bought(account, later),
        undo=tuple(_recorded(account)) if shown.state != "cancelled" else (),
        refunded=_refunded(account) if shown.state != "cancelled" else 0,
        payout=account.payout,
        handed_over=account.handed_over,
    )
