"""
Payout deals: the remaining entrants divide the prizes by agreement.

A deal counts when everyone still in has accepted it. It lapses as soon as one of them declines it,
busts or is out.

Source: rulebook ``payout_deal``.
"""

from collections.abc import Iterable
from typing import Literal

from msgspec.structs import replace

from engine.errors import Wording
from engine.rulesets import OpenEnd
from engine.tournament.model.commands.money import AcceptDeal, DeclineDeal, ProposeDeal
from engine.tournament.model.errors import DirectiveStale
from engine.tournament.model.errors.money import (
    DealAmountsWrong,
    DealNotOpen,
    DealNotPossible,
    DealPending,
)
from engine.tournament.model.events import EntrantEliminated, Event, PlayClosing
from engine.tournament.model.events.entering import NoShowPurged
from engine.tournament.model.events.money import (
    PayoutDealAccepted,
    PayoutDealMade,
    PayoutDealProposed,
    PayoutDealVoided,
)
from engine.tournament.model.state import Running, State, running_of
from engine.tournament.model.values import Standing
from engine.tournament.model.values.money import DealShare, Offer
from engine.tournament.money.pool import amounts_of, not_placed
from engine.tournament.money.sharing import alike, by_weight
from engine.tournament.money.stacks import of_everyone
from engine.values import EntrantId

_RULES = {
    "explicit": "payout_deal.explicit",
    "by_chips": "payout_deal.by_chips",
    "equal": "payout_deal.equal",
}


Obstacle = Literal[
    "not_running",
    "deal_made",
    "casino",
    "others_may_still_enter",
    "somebody_may_come_back",
    "nobody_to_deal_with",
    "nothing_to_divide",
]
"""The reasons for which no deal is possible."""


def propose(state: State, command: ProposeDeal) -> tuple[PayoutDealProposed, ...]:
    """
    Propose a payout deal to everyone still in.

    Raises:
        TournamentNotRunning: If play has not begun, or is over.
        DealNotPossible: If there is nothing to divide, or an entrant may still come back.
        DealPending: If another deal waits for answers.
        DealAmountsWrong: If the shares are not everyone's, or do not add up.
        DirectiveStale: If the stacks are not those of everyone still in.
    """
    running = running_of(state)
    parties = _parties(running, command.by)
    pending = running.books.offer
    if pending is not None:
        raise DealPending(number=pending.number)
    at_stake, currency = sum(amounts_of(running)[: len(parties)]), running.terms.currency
    if currency is None:
        raise DealNotPossible(reason="nothing_to_divide")
    divided = at_stake - command.play_for
    if command.play_for < 0 or divided <= 0:
        raise DealAmountsWrong(given=command.play_for, at_stake=at_stake)
    command = replace(command, stacks=of_everyone(running, command.stacks))
    shares = _shares(running, parties, command, divided)
    if sum(each.amount for each in shares) != divided or any(each.amount < 0 for each in shares):
        given = sum(each.amount for each in shares) + command.play_for
        raise DealAmountsWrong(given=given, at_stake=at_stake)
    return (
        PayoutDealProposed(
            number=running.books.offers + 1,
            by=command.by,
            method=command.method,
            stacks=_told(command, parties),
            shares=shares,
            play_for=command.play_for,
            ends=command.ends,
            currency=currency,
            rule=_RULES[command.method],
        ),
    )


def accept(
    state: State, command: AcceptDeal
) -> tuple[PayoutDealAccepted | PayoutDealMade | PlayClosing, ...]:
    """
    Accept a payout deal. The last acceptance makes the deal.

    Raises:
        DealNotOpen: If the deal does not wait for this entrant, or the entrant is out.
        DealNotPossible: If other entrants are in play now.
    """
    running = running_of(state)
    offer = _open(running, command.offer, command.entrant)
    if command.entrant in offer.accepted:
        return ()
    if command.entrant not in not_placed(running):
        raise DealNotOpen(number=offer.number)
    accepted = PayoutDealAccepted(number=offer.number, entrant=command.entrant)
    parties = {share.entrant for share in offer.shares}
    if {*offer.accepted, command.entrant} != parties:
        return (accepted,)
    if set(_parties(running, None)) != parties:
        raise DealNotPossible(reason="others_play_now")
    made = PayoutDealMade(number=offer.number, rule="payout_deal.made")
    closing = (PlayClosing(rule="finish.deal"),) if offer.ends and not running.closing else ()
    return (accepted, made, *closing)


def decline(state: State, command: DeclineDeal) -> tuple[PayoutDealVoided, ...]:
    """
    Decline a payout deal, which then lapses for everyone.

    Raises:
        DealNotOpen: If the deal does not wait for this entrant.
    """
    offer = _open(running_of(state), command.offer, command.entrant)
    return (
        PayoutDealVoided(
            number=offer.number,
            entrant=command.entrant,
            cause="declined",
            rule="payout_deal.declined",
        ),
    )


def voided(
    state: Running,
    busted: Iterable[EntrantId],
    *,
    cause: Literal["bust", "disqualified"] = "bust",
) -> tuple[PayoutDealVoided, ...]:
    """Return the event that voids the proposed deal, if anybody is in *busted*."""
    offer = state.books.offer
    broke = next(iter(busted), None)
    if offer is None or broke is None:
        return ()
    return (
        PayoutDealVoided(number=offer.number, entrant=broke, cause=cause, rule="payout_deal.bust"),
    )


def without_parties(state: State, events: tuple[Event, ...]) -> tuple[Event, ...]:
    """Return *events*. If they put an entrant out, the proposed deal lapses just before."""
    offer = state.books.offer if isinstance(state, Running) else None
    if offer is None or any(isinstance(each, PayoutDealVoided) for each in events):
        return events
    for place, event in enumerate(events):
        if isinstance(event, EntrantEliminated | NoShowPurged):
            void = PayoutDealVoided(
                number=offer.number,
                entrant=event.entrant,
                cause="eliminated",
                rule="payout_deal.bust",
            )
            return (*events[:place], void, *events[place:])
    return events


def obstacle(state: State) -> Obstacle | None:
    """Return why nobody can propose a deal now, or None. Another proposal is no obstacle."""
    if not isinstance(state, Running):
        return "not_running"
    if state.books.deal is not None:
        return "deal_made"
    if isinstance(state.terms.ruleset.end, OpenEnd):
        return "casino"
    if state.entering.late:
        return "others_may_still_enter"
    parties = not_placed(state)
    if set(parties) != set(state.remaining()) or state.promised:
        return "somebody_may_come_back"
    if len(parties) < 2:
        return "nobody_to_deal_with"
    if not sum(amounts_of(state)[: len(parties)]) or state.terms.currency is None:
        return "nothing_to_divide"
    return None


def _parties(state: Running, by: EntrantId | None) -> tuple[EntrantId, ...]:
    """
    Return everyone still in, in order of registration.

    Raises:
        DealNotPossible: If no deal can be made now.
    """
    reason = obstacle(state)
    if reason is not None:
        raise DealNotPossible(reason=reason)
    parties = not_placed(state)
    if by is not None and by not in parties:
        raise DealNotPossible(reason="out")
    return parties


def _shares(
    state: Running, parties: tuple[EntrantId, ...], command: ProposeDeal, divided: int
) -> tuple[DealShare, ...]:
    match command.method:
        case "explicit":
            given = {share.entrant: share.amount for share in command.shares}
            if sorted(share.entrant for share in command.shares) != sorted(parties):
                raise DealAmountsWrong(given=sum(given.values()), at_stake=divided)
            amounts = tuple(given[each] for each in parties)
        case "by_chips":
            stacks = {each.entrant: each.stack for each in command.stacks}
            if not set(parties) <= set(stacks):
                raise DirectiveStale(problem=Wording("the stacks do not cover everyone still in"))
            amounts = by_weight(divided, [stacks[each] for each in parties])
        case "equal":
            amounts = alike(divided, len(parties))
    return tuple(
        DealShare(entrant=entrant, amount=amount)
        for entrant, amount in zip(parties, amounts, strict=True)
    )


def _told(command: ProposeDeal, parties: tuple[EntrantId, ...]) -> tuple[Standing, ...]:
    """Return the stacks that decide the shares, without chips of disqualified entrants."""
    if command.method != "by_chips":
        return ()
    return tuple(each for each in command.stacks if each.entrant in parties)


def _open(state: Running, number: int, entrant: EntrantId) -> Offer:
    offer = state.books.offer
    if offer is None or offer.number != number:
        raise DealNotOpen(number=number)
    if entrant not in {share.entrant for share in offer.shares}:
        raise DealNotOpen(number=number)
    return offer
