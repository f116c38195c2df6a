"""What entrants do at a table; what follows from it stands in the same append."""

from collections.abc import Sequence

from engine.table.model.commands import Act, Improve, Select, Verb
from engine.values import EntrantId
from service.director.runtime import Runtime
from service.director.submitting import submit_to_table
from service.log.writer import Command, Receipt

__all__ = ["Runtime", "act", "improve", "select"]


async def act(
    runtime: Runtime,
    league: str,
    table: str,
    order: Command,
    entrant: EntrantId,
    decision: str,
    verb: Verb,
    amount: int | None = None,
    expected: int | None = None,
) -> Receipt:
    """
    Bet, fold, check, call or stay.

    Raises:
        CommandRejected: If the rules forbid it.
        StoreUnavailable: If the database is away; the same order again finds out.
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
    order: Command,
    entrant: EntrantId,
    decision: str,
    cards: Sequence[str],
) -> Receipt:
    """Keep *cards*, for good.  Raises what :func:`act` raises."""
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
    order: Command,
    entrant: EntrantId,
    decision: str,
    cards: Sequence[str],
) -> Receipt:
    """Add *cards* of the new ones to the selection.  Raises what :func:`act` raises."""
    command = Improve(
        entrant=entrant,
        decision=decision,
        cards=tuple(cards),
        salt=runtime.entropy.token(),
        now=order.received_at,
    )
    return await submit_to_table(runtime, league, table, command, order)
