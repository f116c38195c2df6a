"""The money at the door: an entry, rebuys and add-ons are paid, or were not paid after all."""

import asyncio

from service.api.tournament.money import LedgerShown, ReversalWanted
from service.api.tournament.tournaments import TournamentShown
from service.console.asking import Ask
from service.console.declaring import form
from service.console.forms import Given
from service.console.pages import Done
from service.console.screens.evening.door import door, list_again
from service.console.screens.evening.dues import (
    PARTS,
    account_of,
    entry_parts,
    later_parts,
    pay_for,
)
from service.console.screens.evening.money import mistake


@form("/tournaments/{tournament:str}/door/{entrant:str}/paid", of=door)
async def take_money(ask: Ask, given: Given, tournament: str, entrant: str) -> Done:
    """Record everything that is due for the entry: the buy-in, the fee and the bounty."""
    await pay_for(ask, given, tournament, entrant, entry_parts)
    return Done(list_again(given, tournament))


@form("/tournaments/{tournament:str}/door/{entrant:str}/later", of=door)
async def take_later(ask: Ask, given: Given, tournament: str, entrant: str) -> Done:
    """Record the rebuys and add-ons that are not paid."""
    await pay_for(ask, given, tournament, entrant, later_parts)
    return Done(list_again(given, tournament))


@form("/tournaments/{tournament:str}/door/{entrant:str}/unpaid", of=door)
async def undo_money(ask: Ask, given: Given, tournament: str, entrant: str) -> Done:
    """Take back what was recorded for an entry by mistake. The books keep both entries."""
    path = f"/v1/tournaments/{tournament}"
    shown, ledger = await asyncio.gather(
        ask.api.get(path, TournamentShown), ask.api.get(f"{path}/ledger", LedgerShown)
    )
    account = account_of(ledger, entrant)
    reason = mistake(ask, given)
    for kind in PARTS:
        payments = () if account is None else account.payments
        recorded = sum(each.amount for each in payments if each.kind == kind)
        if kind == "fee":
            recorded = min(recorded, shown.fees.fee)  # the rest was paid for a rebuy
        if recorded > 0:
            wanted = ReversalWanted(entrant=entrant, kind=kind, amount=recorded, reason=reason)
            key = f"{given.key}-{kind}"
            await ask.api.send("POST", f"{path}/payments/reversals", wanted, object, key=key)
    return Done(list_again(given, tournament))
