"""Knock-outs and bounties."""

from collections.abc import Iterable, Sequence

from engine.tournament.model.commands import RecordBusts
from engine.tournament.model.events.money import BountyUnclaimed, BountyWon, EntrantKnockedOut
from engine.tournament.model.state import Running
from engine.tournament.model.values import Busted
from engine.tournament.money.sharing import alike
from engine.values import EntrantId

Settled = BountyWon | BountyUnclaimed


def knocked_out(busts: Sequence[Busted], command: RecordBusts) -> tuple[EntrantKnockedOut, ...]:
    """
    Return the knock-outs of busted entrants, with the winners of their last chips.

    Source: rulebook ``bounty.pot``.
    """
    return tuple(
        EntrantKnockedOut(
            entrant=bust.entrant,
            table=command.table,
            hand=command.hand_number,
            pot=bust.pot,
            by=bust.won_by,
            rule="bounty.pot",
        )
        for bust in busts
        if bust.pot is not None
    )


def fallen(
    state: Running, out: Iterable[EntrantId], busts: Sequence[Busted] = ()
) -> tuple[Settled, ...]:
    """
    Return the awards of the bounties of entrants who are *out* for good.

    Args:
        busts: Busts that are decided now and are not in the books yet.

    Source: rulebook ``bounty.won`` and ``bounty.unclaimed``.
    """
    terms = state.terms
    bounty, currency = terms.fees.bounty, terms.currency
    if not bounty or currency is None:
        return ()
    winners = {each.entrant: each.by for each in state.books.knockouts}
    winners |= {bust.entrant: bust.won_by for bust in busts if bust.pot is not None}
    events: list[Settled] = []
    for entrant in out:
        by = winners.get(entrant, ())
        if not by:
            events.append(
                BountyUnclaimed(
                    entrant=entrant, amount=bounty, currency=currency, rule="bounty.unclaimed"
                )
            )
        parts = zip(by, alike(bounty, len(by)) if by else (), strict=True)
        events += [
            BountyWon(
                entrant=entrant, by=winner, amount=amount, currency=currency, rule="bounty.won"
            )
            for winner, amount in parts
            if amount
        ]
    return tuple(events)


def left_over(state: Running, survivors: Iterable[EntrantId]) -> tuple[Settled, ...]:
    """
    Return the awards of the bounties that are still there at the end.

    Survivors keep their own bounties. The other bounties are settled as for entrants who are out.

    Source: rulebook ``bounty.own``.
    """
    bounty, currency = state.terms.fees.bounty, state.terms.currency
    if not bounty or currency is None:
        return ()
    own = set(survivors)
    there = held(state)
    kept = tuple(
        BountyWon(entrant=each, by=each, amount=bounty, currency=currency, rule="bounty.own")
        for each in there
        if each in own
    )
    return (*kept, *fallen(state, (each for each in there if each not in own)))


def held(state: Running) -> tuple[EntrantId, ...]:
    """Return the entrants with a bounty that can still be won, in order of registration."""
    settled = {each.entrant for each in state.books.bounties} | set(state.books.unclaimed)
    return tuple(each.entrant for each in state.entrants if each.entrant not in settled)
