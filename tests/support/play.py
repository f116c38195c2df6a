"""Answers of entrants at a table. Their consequences are in the same append."""

from collections.abc import Sequence

from engine.table.model.commands import Act, Improve, Select, Verb
from engine.values import EntrantId
from service.director.runtime import Runtime
from service.director.submitting import submit_to_table
from service.log.writer import Order, Receipt


async def act(
    runtime: Runtime,
    league: str,
    table: str,
    order: Order,
    entrant: EntrantId,
    decision: str,
    verb: Verb,
    amount: int | None = None,
    expected: int | None = None,
) -> Receipt:
    """
    Bet, fold, check, call or stay.

    Raises:
        CommandRejected: If the rules forbid the action.
        StoreUnavailable: If the database is away. A retry of the same order shows the outcome.
    """
    command = Act(
        entrant=entrant,
        decision=decision,
        verb=verb,
        amount=amount,
        expected=expected,
        now=order.received_at,
    )
    return await submit_to_table(runtime, league, table, command, order)


async def select(
    runtime: Runtime,
    league: str,
    table: str,
    order: Order,
    entrant: EntrantId,
    decision: str,
    cards: Sequence[str],
) -> Receipt:
    """Select *cards*. Raise the same errors as :func:`act`."""
    command = Select(
        entrant=entrant,
        decision=decision,
        cards=tuple(cards),
        salt=runtime.entropy.token(),
        now=order.received_at,
    )
    return await submit_to_table(runtime, league, table, command, order)


async def improve(
    runtime: Runtime,
    league: str,
    table: str,
    order: Order,
    entrant: EntrantId,
    decision: str,
    cards: Sequence[str],
) -> Receipt:
    """Add the new *cards* to the selection. Raise the same errors as :func:`act`."""
    command = Improve(
        entrant=entrant,
        decision=decision,
        cards=tuple(cards),
        salt=runtime.entropy.token(),
        now=order.received_at,
    )
    return await submit_to_table(runtime, league, table, command, order)
